package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.BadRecordPolicy;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** With real damage: see DamagedLogIT. */
@Timeout(60)
final class UnreadableBatchesTest {

  /** The split waits for the answer: without one it would be paused for ever, and say nothing. */
  @Test
  void answers_also_when_the_search_ends_in_an_error() {
    UnreadableBatches batches =
        new UnreadableBatches(
            BadRecordPolicy.SKIP,
            () -> {
              throw new NoClassDefFoundError("com/example/Login");
            },
            System::nanoTime,
            Duration.ofSeconds(30));

    assertThatThrownBy(
            () ->
                batches
                    .nextReadable(new TopicPartition("t", 3), 7)
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS))
        .hasMessageContaining("offset 7 of t-3")
        .hasMessageContaining("com/example/Login");
  }

  /** It outlived its reader by up to half a minute, with a connection of its own. */
  @Test
  void a_search_ends_with_its_reader() throws Exception {
    Silent silent = new Silent();
    UnreadableBatches batches =
        new UnreadableBatches(
            BadRecordPolicy.SKIP, silent::consumer, System::nanoTime, Duration.ofSeconds(30));
    CompletableFuture<Long> answer =
        batches.nextReadable(new TopicPartition("t", 3), 7).toCompletableFuture();
    assertThat(silent.polled.await(30, TimeUnit.SECONDS)).isTrue();

    batches.close();

    assertThat(silent.closed).isTrue();
    assertThat(answer).isCompletedExceptionally();
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .doesNotContain("korpse-probe-t-3");
  }

  @Test
  void no_search_begins_after_the_end_of_its_reader() {
    Silent silent = new Silent();
    UnreadableBatches batches =
        new UnreadableBatches(
            BadRecordPolicy.SKIP, silent::consumer, System::nanoTime, Duration.ofSeconds(30));
    batches.close();

    assertThat(batches.nextReadable(new TopicPartition("t", 3), 7).toCompletableFuture())
        .isCompletedExceptionally();
    assertThat(silent.polled.getCount()).isEqualTo(1);
  }

  /** A consumer whose broker does not answer: a poll ends only when it is woken. */
  private static final class Silent {
    private final CountDownLatch polled = new CountDownLatch(1);
    private final CountDownLatch woken = new CountDownLatch(1);
    private volatile boolean closed;

    @SuppressWarnings("unchecked")
    Consumer<byte[], byte[]> consumer() {
      return (Consumer<byte[], byte[]>)
          Proxy.newProxyInstance(
              Consumer.class.getClassLoader(),
              new Class<?>[] {Consumer.class},
              (proxy, method, arguments) ->
                  switch (method.getName()) {
                    case "endOffsets" -> Map.of(new TopicPartition("t", 3), 100L);
                    case "poll" -> {
                      polled.countDown();
                      assertThat(woken.await(60, TimeUnit.SECONDS)).isTrue();
                      throw new WakeupException();
                    }
                    case "wakeup" -> {
                      woken.countDown();
                      yield null;
                    }
                    case "close" -> {
                      closed = true;
                      yield null;
                    }
                    default -> null;
                  });
    }
  }
}
