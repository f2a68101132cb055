package io.korpse.offsets.lag;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ends of the log, from fetches and from answers, and which of them holds. */
@Timeout(30)
final class ObservedEndsTest extends LagFixture {

  @Test
  void an_answer_that_is_older_than_a_fetch_changes_nothing() {
    PartitionLag lag = tracker.track(A, position::get);
    long sentAt = clock.millis();
    lag.observeEnd(100, clock.advance(SECOND).millis());
    lag.answerEnd(90, sentAt);
    assertThat(lag.end()).isEqualTo(100);

    lag.answerEnd(90, clock.millis());
    assertThat(lag.end()).as("the log was truncated").isEqualTo(90);
  }

  @Test
  void an_end_that_a_fetch_showed_is_as_old_as_the_fetch_before_it() {
    PartitionLag lag = tracker.track(A, position::get);
    lag.observeEnd(100, clock.advance(Duration.ofMillis(10)).millis());
    lag.observeEnd(110, clock.advance(Duration.ofMillis(10)).millis());
    assertThat(lag.lagAgeMillis()).isEqualTo(10);

    lag.observeEnd(110, clock.advance(Duration.ofSeconds(5)).millis());
    assertThat(lag.lagAgeMillis()).as("no news").isEqualTo(5_010);
    lag.observeEnd(120, clock.millis());
    assertThat(lag.lagAgeMillis()).as("may have been kept for five seconds").isEqualTo(5_000);
  }

  @Test
  void a_response_that_was_kept_while_paused_neither_lowers_the_end_nor_makes_it_fresh() {
    PartitionLag lag = tracker.track(A, position::get);
    lag.observeEnd(100, clock.millis());
    ends.ends.put(A, 5_000L);
    clock.advance(Duration.ofSeconds(10));
    tracker.round();
    assertThat(lag.end()).isEqualTo(5_000);

    lag.observeEnd(300, clock.advance(Duration.ofMillis(900)).millis());
    assertThat(lag.end()).isEqualTo(5_000);
    assertThat(lag.lagAgeMillis()).isEqualTo(900);
    ends.ends.put(A, 6_000L);
    tracker.round();
    assertThat(lag.end()).isEqualTo(6_000);
  }

  @Test
  void reading_committed_counts_to_the_last_stable_offset_and_shows_the_rest_apart() {
    tracker = builder().isolation(IsolationLevel.READ_COMMITTED).build(() -> ends);
    ends.stableEnds.put(A, 100L);
    ends.ends.put(A, 130L);
    PartitionLag lag = tracker.track(A, position::get);
    tracker.round();
    clock.advance(Duration.ofSeconds(10));
    tracker.round();

    assertThat(lag.recordsLag()).isEqualTo(LagValue.of(60));
    assertThat(lag.recordsLagToHighWatermark()).isEqualTo(LagValue.of(90));
  }

  @Test
  void reading_committed_a_repeated_end_is_no_news() {
    tracker = builder().isolation(IsolationLevel.READ_COMMITTED).build(() -> ends);
    PartitionLag lag = tracker.track(A, position::get);
    lag.observeEnd(100, clock.millis());
    clock.advance(SECOND);
    lag.observeEnd(100, clock.millis());

    assertThat(lag.lagAgeMillis()).isEqualTo(1_000);
  }

  @Test
  void an_end_that_was_seen_by_a_clock_that_is_ahead_has_no_age_and_is_asked_for() {
    ends.ends.put(A, 100L);
    PartitionLag lag = tracker.track(A, position::get);
    tracker.round();
    clock.advance(Duration.ofHours(-1));
    ends.ends.put(A, 1_000_000L);
    assertThat(lag.lagAgeMillis()).isEqualTo(-1);
    tracker.round();

    assertThat(lag.recordsLag()).isEqualTo(LagValue.of(999_960));
    assertThat(lag.lagAgeMillis()).isZero();
  }

  @Test
  void a_transaction_that_hangs_shows_also_when_all_before_it_is_read() {
    tracker = builder().isolation(IsolationLevel.READ_COMMITTED).build(() -> ends);
    ends.stableEnds.put(A, 100L);
    PartitionLag lag = tracker.track(A, position::get);
    position.set(100);
    assertThat(lag.recordsLagToHighWatermark()).isEqualTo(LagValue.unknown());
    lag.observeEnd(100, clock.millis());
    assertThat(lag.recordsLagToHighWatermark())
        .as("nobody has told the high watermark")
        .isEqualTo(LagValue.unknown());
    ends.ends.put(A, 100L);
    tracker.round();
    ends.ends.put(A, 59_100L);
    clock.advance(Duration.ofSeconds(10));
    tracker.round();
    assertThat(lag.recordsLag()).isEqualTo(LagValue.of(0));
    assertThat(lag.recordsLagToHighWatermark()).isEqualTo(LagValue.of(59_000));
    assertThat(lag.highWatermark()).isEqualTo(59_100);
    assertThat(tracker.total().recordsLagToHighWatermark()).isEqualTo(LagValue.of(59_000));
  }
}
