package io.korpse.offsets;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;

/**
 * One Admin client for several users that each close what they got: the client is made for the
 * first {@link #get()} and closed with the last user. Thread-safe.
 */
public final class SharedAdmin implements Supplier<Admin> {

  private final Supplier<Admin> factory;
  private Admin client;
  private int users;

  /** Shares the client that {@code factory} makes; it is asked again after the last close. */
  public SharedAdmin(Supplier<Admin> factory) {
    this.factory = Objects.requireNonNull(factory, "factory");
  }

  @Override
  public synchronized Admin get() {
    if (users == 0) {
      client = factory.get();
    }
    users++;
    return lease(client);
  }

  // A proxy, because only close() differs among the hundred methods of Admin, and because a
  // subclass would not compile against a client that adds methods.
  private Admin lease(Admin shared) {
    boolean[] closed = new boolean[1];
    return (Admin)
        Proxy.newProxyInstance(
            Admin.class.getClassLoader(),
            new Class<?>[] {Admin.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                Duration timeout =
                    arguments == null ? Duration.ofMillis(Long.MAX_VALUE) : (Duration) arguments[0];
                release(closed, shared, timeout);
                return null;
              }
              try {
                return method.invoke(shared, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private void release(boolean[] closed, Admin shared, Duration timeout) {
    synchronized (this) {
      if (closed[0]) {
        return;
      }
      closed[0] = true;
      users--;
      if (users > 0) {
        return;
      }
      client = null;
    }
    shared.close(timeout);
  }
}
