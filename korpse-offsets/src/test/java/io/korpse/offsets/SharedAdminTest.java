package io.korpse.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.Test;

final class SharedAdminTest {

  private final List<String> calls = new ArrayList<>();
  private final AtomicInteger made = new AtomicInteger();
  private final SharedAdmin shared = new SharedAdmin(this::client);

  @Test
  void makes_one_client_and_closes_it_with_its_last_user() {
    Admin first = shared.get();
    Admin second = shared.get();
    first.close(Duration.ofSeconds(1));
    first.close();
    assertThat(calls).isEmpty();

    second.close(Duration.ofSeconds(2));
    assertThat(made).hasValue(1);
    assertThat(calls).containsExactly("close PT2S");
  }

  @Test
  void makes_a_new_client_after_the_last_was_closed() {
    shared.get().close();
    shared.get().close();

    assertThat(made).hasValue(2);
    assertThat(calls).hasSize(2);
  }

  @Test
  void hands_calls_and_their_exceptions_through() {
    Admin admin = shared.get();

    assertThatThrownBy(admin::metrics).isInstanceOf(KafkaException.class).hasMessage("metrics");
  }

  private Admin client() {
    made.incrementAndGet();
    return (Admin)
        Proxy.newProxyInstance(
            Admin.class.getClassLoader(),
            new Class<?>[] {Admin.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("close")) {
                throw new KafkaException(method.getName());
              }
              calls.add("close " + arguments[0]);
              return null;
            });
  }
}
