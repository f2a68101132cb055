package io.korpse.offsets.lag;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.testing.ManualClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What retention takes of records that nobody wanted is no loss. */
@Timeout(30)
final class WantedRecordsTest {

  private static final TopicPartition PARTITION = new TopicPartition("t", 0);

  private final ManualClock clock = new ManualClock(1_000_000);
  private final FakeEnds ends = new FakeEnds();
  private final AtomicLong wantedUntil = new AtomicLong(Long.MAX_VALUE);
  private final LagTracker tracker =
      LagTracker.builder().clock(clock).wallClock(clock).build(() -> ends);
  private final PartitionLag lag = tracker.track(PARTITION, () -> 40, wantedUntil::get);

  @Test
  void what_is_before_a_start_that_follows_the_log_start_is_not_lost() {
    wantedUntil.set(0);
    retentionRemovesUpTo(70);

    assertThat(lag.recordsLost()).isZero();
    assertThat(lag.status()).isEqualTo(LagStatus.OK);
    assertThat(tracker.total().recordsLost()).isZero();
  }

  @Test
  void what_is_beyond_a_stop_is_not_lost() {
    wantedUntil.set(45);
    retentionRemovesUpTo(70);

    assertThat(lag.recordsLost()).isEqualTo(5);
    assertThat(lag.status()).isEqualTo(LagStatus.LOSING_RECORDS);
  }

  private void retentionRemovesUpTo(long offset) {
    ends.ends.put(PARTITION, 100L);
    ends.starts.put(PARTITION, offset);
    tracker.round();
    clock.advance(Duration.ofSeconds(10));
    tracker.round();
  }
}
