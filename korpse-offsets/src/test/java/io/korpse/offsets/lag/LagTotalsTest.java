package io.korpse.offsets.lag;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.offsets.Position;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The lag of a topic and of a reader. */
@Timeout(30)
final class LagTotalsTest extends LagFixture {

  @Test
  void sums_a_topic_and_a_reader() {
    tracker.track(A, () -> 1).observeEnd(10, clock.millis());
    tracker.track(B, () -> 2).observeEnd(10, clock.millis());
    tracker.track(OTHER, () -> 5).observeEnd(10, clock.millis());

    assertThat(tracker.total("t").recordsLag()).isEqualTo(LagValue.of(17));
    assertThat(tracker.total().recordsLag()).isEqualTo(LagValue.of(22));
    tracker.untrack(OTHER);
    assertThat(tracker.total().recordsLag()).isEqualTo(LagValue.of(17));
    assertThat(tracker.partitions()).hasSize(2);
  }

  @Test
  void totals_are_unknown_with_one_unknown_part_and_say_how_many_there_are() {
    PartitionLag known = tracker.track(A, () -> 40);
    PartitionLag other = tracker.track(B, () -> 90);
    LagTotal total = tracker.total();
    known.observeEnd(100, clock.millis());
    known.observeCommitted(Position.of(30));
    known.observeTimestamp(wallClock.millis() - 9_000);
    known.observeSkipped(3);
    assertThat(total.recordsLag()).isEqualTo(LagValue.unknown());
    assertThat(total.committedLag()).isEqualTo(LagValue.unknown());
    assertThat(total.timeLagMillis()).isEqualTo(LagValue.unknown());
    assertThat(total.unknownRecordsLags()).isEqualTo(1);

    other.observeEnd(100, clock.millis());
    assertThat(total.recordsLag()).isEqualTo(LagValue.of(70));
    assertThat(total.unknownRecordsLags()).isZero();
    assertThat(total.committedLag()).isEqualTo(LagValue.unknown());
    assertThat(total.unknownCommittedLags()).isEqualTo(1);
    assertThat(total.timeLagMillis()).isEqualTo(LagValue.unknown());
    assertThat(total.unknownTimeLags()).isEqualTo(1);

    other.observeCommitted(Position.of(80));
    other.observeTimestamp(wallClock.millis() - 2_000);
    other.observeSkipped(4);
    assertThat(total.committedLag()).isEqualTo(LagValue.of(90));
    assertThat(total.timeLagMillis()).isEqualTo(LagValue.of(9_000));
    assertThat(total.recordsLost()).isEqualTo(7);

    tracker.untrack(B);
    assertThat(total.recordsLost()).as("also of what left").isEqualTo(7);
    assertThat(tracker.total("t").recordsLost()).isEqualTo(7);
    assertThat(tracker.total("u").recordsLost()).isZero();
  }

  @Test
  void the_total_of_a_topic_follows_its_partitions() {
    LagTotal topic = tracker.total("t");
    assertThat(topic.recordsLag()).isEqualTo(LagValue.of(0));
    tracker.track(A, () -> 40).observeEnd(100);
    tracker.track(OTHER, () -> 10).observeEnd(100);
    assertThat(topic.recordsLag()).isEqualTo(LagValue.of(60));

    tracker.track(A, () -> 50).observeEnd(100);
    assertThat(topic.recordsLag())
        .as("the second call replaces the first")
        .isEqualTo(LagValue.of(50));

    tracker.untrack(A);
    assertThat(topic.recordsLag()).isEqualTo(LagValue.of(0));
    assertThat(topic.status()).isEqualTo(LagStatus.UNKNOWN);

    tracker.track(B, () -> 70).observeEnd(100);
    assertThat(topic.recordsLag()).isEqualTo(LagValue.of(30));
    assertThat(tracker.total().recordsLag()).isEqualTo(LagValue.of(120));
  }
}
