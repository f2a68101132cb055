package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.BadRecordPolicy;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
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
            System::nanoTime);

    assertThatThrownBy(
            () ->
                batches
                    .nextReadable(new TopicPartition("t", 3), 7)
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS))
        .hasMessageContaining("offset 7 of t-3")
        .hasMessageContaining("com/example/Login");
  }
}
