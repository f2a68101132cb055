package io.korpse.flink.jobs.local;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A TCP relay on the loopback address that can be cut, as a network can. Thread-safe; has a daemon
 * thread per direction of each connection.
 */
public final class Relay implements AutoCloseable {

  /** How a connection is cut. */
  public enum Cut {
    /** Nothing comes through, and nobody is told; what was sent arrives after the cut. */
    SILENT,
    /** Connections are reset, and new ones are closed at once. */
    RESET
  }

  private static final int BUFFER_SIZE = 1 << 16;

  private final ServerSocket server;
  private final int targetPort;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition healed = lock.newCondition();
  private Cut cut;
  private volatile boolean closed;

  private Relay(ServerSocket server, int targetPort) {
    this.server = server;
    this.targetPort = targetPort;
  }

  /** Starts a relay from one port to another. */
  public static Relay start(int port, int targetPort) {
    try {
      ServerSocket server = new ServerSocket();
      server.setReuseAddress(true);
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      Relay relay = new Relay(server, targetPort);
      relay.thread("accept", relay::accept);
      return relay;
    } catch (IOException e) {
      throw new UncheckedIOException("No relay at port " + port, e);
    }
  }

  /** Lets nothing through until {@link #heal()}. */
  public void cut(Cut how) {
    lock.lock();
    try {
      cut = how;
    } finally {
      lock.unlock();
    }
    if (how == Cut.RESET) {
      sockets.forEach(Relay::reset);
    }
  }

  /** Lets everything through again. */
  public void heal() {
    lock.lock();
    try {
      cut = null;
      healed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    closed = true;
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    sockets.forEach(Relay::reset);
    heal();
  }

  private void accept() {
    while (!closed) {
      try {
        Socket client = server.accept();
        thread("connect", () -> connect(client));
      } catch (IOException e) {
        if (!closed) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private void connect(Socket client) {
    sockets.add(client);
    if (!passes()) {
      reset(client);
      sockets.remove(client);
      return;
    }
    Socket target = new Socket();
    sockets.add(target);
    try {
      target.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), targetPort));
      client.setTcpNoDelay(true);
      target.setTcpNoDelay(true);
      thread("answers", () -> pump(target, client));
      pump(client, target);
    } catch (IOException e) {
      // The broker is away: the client is told as if there were no relay.
      end(client, target);
    }
  }

  private void pump(Socket from, Socket to) {
    byte[] buffer = new byte[BUFFER_SIZE];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
        if (!passes()) {
          break;
        }
        out.write(buffer, 0, length);
      }
    } catch (IOException e) {
      // One side has gone; so does the other.
    } finally {
      end(from, to);
    }
  }

  /** Waits while the cut is silent; whether bytes may then pass. */
  private boolean passes() {
    lock.lock();
    try {
      while (cut == Cut.SILENT) {
        healed.awaitUninterruptibly();
      }
      return cut == null && !closed;
    } finally {
      lock.unlock();
    }
  }

  private void end(Socket one, Socket other) {
    sockets.remove(one);
    sockets.remove(other);
    close(one);
    close(other);
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is closed already.
    }
  }

  private static void reset(Socket socket) {
    try {
      // Lingering for no time resets the connection.
      socket.setSoLinger(true, 0);
    } catch (IOException e) {
      // It is closed already.
    }
    close(socket);
  }

  private void thread(String what, Runnable task) {
    Thread thread = new Thread(task, "relay-" + server.getLocalPort() + "-" + what);
    thread.setDaemon(true);
    thread.start();
  }
}
