package io.korpse.offsets.lag;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.korpse.offsets.Position;
import io.korpse.testing.ManualClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(30)
final class LagTrackerTest {

  private static final TopicPartition A = new TopicPartition("t", 0);
  private static final TopicPartition B = new TopicPartition("t", 1);
  private static final TopicPartition OTHER = new TopicPartition("u", 0);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualClock clock = new ManualClock(1_000_000);
  private final ManualClock wallClock = new ManualClock(1_700_000_000_000L);
  private final FakeEnds ends = new FakeEnds();
  private final AtomicLong position = new AtomicLong(40);
  private LagTracker tracker = builder().build(() -> ends);

  @Test
  void unknown_is_not_zero() {
    PartitionLag lag = tracker.track(A, position::get);

    assertThat(lag.recordsLag()).isEqualTo(LagValue.unknown());
    assertThat(lag.recordsLag().toGauge()).isEqualTo(-1);
    assertThatThrownBy(() -> lag.recordsLag().value()).isInstanceOf(IllegalStateException.class);
    assertThat(lag.timeLagMillis()).isEqualTo(LagValue.unknown());
    assertThat(lag.committedLag()).isEqualTo(LagValue.unknown());
    assertThat(lag.lagAgeMillis()).isEqualTo(-1);
    assertThat(lag.status()).isEqualTo(LagStatus.UNKNOWN);
    assertThat(tracker.total().recordsLag()).isEqualTo(LagValue.unknown());
  }

  @Test
  void asks_the_broker_for_an_end_that_nobody_observed() {
    ends.ends.put(A, 100L);
    PartitionLag lag = tracker.track(A, position::get);
    tracker.round();

    assertThat(lag.recordsLag()).isEqualTo(LagValue.of(60));
    assertThat(lag.lagAgeMillis()).isZero();
    assertThat(lag.status()).isEqualTo(LagStatus.OK);
  }

  @Test
  void asks_for_all_stale_partitions_in_one_request_and_for_no_other() {
    ends.ends.put(A, 100L);
    ends.ends.put(OTHER, 100L);
    tracker.track(A, position::get);
    PartitionLag flowing = tracker.track(B, position::get);
    tracker.track(OTHER, () -> 100);
    flowing.observeEnd(100, clock.millis());
    tracker.round();

    assertThat(ends.requests)
        .containsExactly(
            new FakeEnds.Request(java.util.Set.of(A, OTHER), true, IsolationLevel.READ_UNCOMMITTED),
            new FakeEnds.Request(java.util.Set.of(B), false, IsolationLevel.READ_UNCOMMITTED));
  }

  /** W50. */
  @Test
  void stays_true_while_a_partition_is_paused() {
    ends.ends.put(A, 100L);
    PartitionLag lag = tracker.track(A, position::get);
    tracker.round();
    ends.ends.put(A, 500L);
    clock.advance(SECOND);
    tracker.round();

    assertThat(lag.recordsLag()).isEqualTo(LagValue.of(460));
  }

  @Test
  void asks_twice_per_interval_while_an_end_moves_and_once_when_it_rests() {
    ends.ends.put(A, 0L);
    tracker.track(A, position::get);
    assertThat(asksIn(10)).isEqualTo(10);
    for (int i = 0; i < 10; i++) {
      ends.ends.merge(A, 1L, Long::sum);
      tracker.round();
      clock.advance(SECOND.dividedBy(2));
    }
    ends.requests.clear();
    for (int i = 0; i < 10; i++) {
      ends.ends.merge(A, 1L, Long::sum);
      tracker.round();
      clock.advance(SECOND.dividedBy(2));
    }
    assertThat(ends.requests.stream().filter(FakeEnds.Request::isEnd)).hasSize(10);
  }

  private long asksIn(int seconds) {
    for (int i = 0; i < 2 * seconds; i++) {
      tracker.round();
      clock.advance(SECOND.dividedBy(2));
    }
    return ends.requests.stream().filter(FakeEnds.Request::isEnd).count();
  }

  @Test
  void a_round_that_comes_a_moment_early_is_not_missed() {
    ends.ends.put(A, 100L);
    tracker.track(A, position::get);
    for (int i = 0; i < 10; i++) {
      tracker.round();
      clock.advance(SECOND.minusMillis(2));
    }

    assertThat(ends.requests.stream().filter(FakeEnds.Request::isEnd)).hasSize(10);
  }

  @Test
  void knows_what_the_group_had_committed_before_the_first_commit() {
    tracker = builder().groupId("g").build(() -> ends);
    ends.commits.put(A, 25L);
    ends.ends.put(A, 100L);
    ends.ends.put(B, 100L);
    PartitionLag lag = tracker.track(A, position::get);
    PartitionLag uncommitted = tracker.track(B, position::get);
    for (int i = 0; i < 20; i++) {
      tracker.round();
      clock.advance(SECOND);
    }

    assertThat(lag.committedOffset()).isEqualTo(25);
    assertThat(lag.committedLag()).isEqualTo(LagValue.of(75));
    assertThat(uncommitted.committedLag()).isEqualTo(LagValue.unknown());
    assertThat(ends.commitRequests).isEqualTo(1);
    assertThat(lag.uncommittedAgeMillis()).as("since it is watched").isEqualTo(20_000);
    lag.observeCommitted(Position.of(41));
    assertThat(lag.committedOffset()).isEqualTo(41);
  }

  @Test
  void follows_the_position_without_a_round() {
    PartitionLag lag = tracker.track(A, position::get);
    lag.observeEnd(100);
    position.set(99);

    assertThat(lag.recordsLag()).isEqualTo(LagValue.of(1));
    position.set(101);
    assertThat(lag.recordsLag()).as("an end older than the position").isEqualTo(LagValue.of(0));
  }

  @Test
  void a_partition_without_an_answer_is_not_asked_again_and_holds_up_nothing() {
    ends.ends.put(B, 100L);
    tracker.track(A, position::get);
    PartitionLag answered = tracker.track(B, position::get);
    for (int i = 0; i < 5; i++) {
      tracker.round();
      clock.advance(SECOND);
    }

    assertThat(answered.recordsLag()).isEqualTo(LagValue.of(60));
    assertThat(ends.requests.stream().filter(r -> r.isEnd() && r.partitions().contains(A)))
        .hasSize(1);
    assertThat(tracker.total().unknownRecordsLags()).isEqualTo(1);
    assertThat(tracker.total().recordsLag()).isEqualTo(LagValue.unknown());
  }

  @Test
  void each_value_has_an_age_that_grows_while_the_broker_is_down() {
    ends.ends.put(A, 100L);
    PartitionLag lag = tracker.track(A, position::get);
    tracker.round();
    ends.isDown = true;
    clock.advance(Duration.ofSeconds(7));
    tracker.round();

    assertThat(lag.recordsLag()).isEqualTo(LagValue.of(60));
    assertThat(lag.lagAgeMillis()).isEqualTo(7_000);
    ends.isDown = false;
    clock.advance(SECOND);
    tracker.round();
    assertThat(lag.lagAgeMillis()).isZero();
  }

  @Test
  void a_lag_whose_end_was_not_seen_for_three_request_timeouts_is_unknown_until_it_is_seen() {
    ends.ends.put(A, 40L);
    ends.ends.put(B, 100L);
    PartitionLag atItsEnd = tracker.track(A, position::get);
    PartitionLag behind = tracker.track(B, position::get);
    atItsEnd.observeCommitted(Position.of(40));
    atItsEnd.observeTimestamp(wallClock.millis());
    behind.observeTimestamp(wallClock.millis());
    tracker.round();
    ends.failures.put(A, Errors.KAFKA_STORAGE_ERROR.exception());
    ends.failures.put(B, Errors.LEADER_NOT_AVAILABLE.exception());
    clock.advance(Duration.ofSeconds(15));
    tracker.round();
    assertThat(atItsEnd.recordsLag()).isEqualTo(LagValue.of(0));
    assertThat(tracker.total().unknownRecordsLags()).isZero();

    clock.advance(Duration.ofMillis(1));
    wallClock.advance(Duration.ofSeconds(15));
    tracker.round();
    assertThat(atItsEnd.recordsLag()).isEqualTo(LagValue.unknown());
    assertThat(atItsEnd.committedLag()).isEqualTo(LagValue.unknown());
    assertThat(atItsEnd.timeLagMillis()).isEqualTo(LagValue.unknown());
    assertThat(atItsEnd.status()).isEqualTo(LagStatus.UNKNOWN);
    assertThat(behind.recordsLag()).isEqualTo(LagValue.unknown());
    assertThat(behind.timeLagMillis()).as("still behind").isEqualTo(LagValue.of(15_000));
    assertThat(tracker.total().unknownRecordsLags()).isEqualTo(2);
    assertThat(tracker.total().recordsLag()).isEqualTo(LagValue.unknown());

    clock.advance(Duration.ofMinutes(1));
    tracker.round();
    assertThat(behind.status()).as("no less than before").isEqualTo(LagStatus.STALLED);

    ends.failures.clear();
    tracker.round();
    assertThat(atItsEnd.recordsLag()).isEqualTo(LagValue.of(0));
    assertThat(behind.recordsLag()).isEqualTo(LagValue.of(60));
  }

  @ParameterizedTest
  @EnumSource(
      value = Errors.class,
      names = {
        "OFFSET_NOT_AVAILABLE",
        "NOT_LEADER_OR_FOLLOWER",
        "UNKNOWN_TOPIC_OR_PARTITION",
        "TOPIC_AUTHORIZATION_FAILED",
        "UNSUPPORTED_VERSION"
      })
  void an_error_keeps_the_last_value_lets_it_age_and_is_asked_again(Errors error) {
    ends.ends.put(A, 100L);
    PartitionLag lag = tracker.track(A, position::get);
    tracker.round();
    ends.failures.put(A, error.exception());
    ends.ends.put(A, 120L);
    clock.advance(SECOND);
    tracker.round();
    assertThat(lag.recordsLag()).isEqualTo(LagValue.of(60));
    assertThat(lag.lagAgeMillis()).isEqualTo(1_000);

    ends.failures.clear();
    clock.advance(SECOND);
    tracker.round();
    assertThat(lag.recordsLag()).isEqualTo(LagValue.of(80));
  }

  @Test
  void survives_a_client_that_cannot_be_made() {
    tracker =
        builder()
            .build(
                () -> {
                  throw new KafkaException("no resolvable bootstrap servers");
                });
    PartitionLag lag = tracker.track(A, position::get);
    tracker.round();

    assertThat(lag.recordsLag()).isEqualTo(LagValue.unknown());
  }

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
  void records_that_retention_took_are_lost_and_not_lag() {
    ends.ends.put(A, 100L);
    ends.starts.put(A, 70L);
    PartitionLag lag = tracker.track(A, position::get);
    tracker.round();
    clock.advance(Duration.ofSeconds(10));
    tracker.round();

    assertThat(lag.recordsLag()).isEqualTo(LagValue.of(30));
    assertThat(lag.recordsLost()).isEqualTo(30);
    assertThat(lag.status()).isEqualTo(LagStatus.LOSING_RECORDS);

    lag.observeSkipped(30);
    position.set(70);
    assertThat(lag.recordsLost()).as("still, after going on at the log start").isEqualTo(30);
  }

  @Test
  void time_lag_is_the_age_of_the_last_emitted_record_and_zero_when_caught_up() {
    PartitionLag lag = tracker.track(A, position::get);
    lag.observeEnd(100, clock.millis());
    assertThat(lag.timeLagMillis()).isEqualTo(LagValue.unknown());

    lag.observeTimestamp(wallClock.millis() - 5_000);
    assertThat(lag.timeLagMillis()).isEqualTo(LagValue.of(5_000));

    position.set(100);
    assertThat(lag.timeLagMillis()).isEqualTo(LagValue.of(0));
  }

  @Test
  void a_record_without_a_timestamp_does_not_make_the_time_lag_jump_to_1970() {
    PartitionLag lag = tracker.track(A, position::get);
    lag.observeEnd(100, clock.millis());
    lag.observeTimestamp(-1);
    assertThat(lag.timeLagMillis()).isEqualTo(LagValue.unknown());

    lag.observeTimestamp(wallClock.millis() - 5_000);
    lag.observeTimestamp(-1);
    assertThat(lag.timeLagMillis()).isEqualTo(LagValue.of(5_000));
  }

  @Test
  void what_is_committed_has_a_lag_of_its_own() {
    PartitionLag lag = tracker.track(A, position::get);
    lag.observeEnd(100, clock.millis());
    lag.observeCommitted(Position.of(25));

    assertThat(lag.committedLag()).isEqualTo(LagValue.of(75));
    assertThat(lag.committedOffset()).isEqualTo(25);
  }

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

  @Test
  void what_follows_a_round_may_fail_without_harm() {
    AtomicLong rounds = new AtomicLong();
    tracker.afterRound(
        () -> {
          rounds.incrementAndGet();
          throw new IllegalStateException("of the caller");
        });
    tracker.round();
    tracker.round();

    assertThat(rounds).hasValue(2);
  }

  @Test
  void a_status_that_is_not_known_is_not_ok_and_hides_no_finding() {
    ends.ends.put(A, 100L);
    tracker.track(A, position::get);
    assertThat(tracker.total().status()).isEqualTo(LagStatus.UNKNOWN);
    tracker.round();
    assertThat(tracker.total().status()).isEqualTo(LagStatus.OK);

    tracker.track(B, position::get);
    tracker.round();
    assertThat(tracker.total().status()).isEqualTo(LagStatus.UNKNOWN);
    ends.starts.put(A, 70L);
    clock.advance(Duration.ofSeconds(10));
    tracker.round();
    tracker.round();
    assertThat(tracker.total().status()).isEqualTo(LagStatus.LOSING_RECORDS);
    assertThat(tracker.total("u").status()).isEqualTo(LagStatus.UNKNOWN);
  }

  @Test
  void a_step_of_the_system_time_changes_neither_lag_nor_age() {
    ends.ends.put(A, 100L);
    PartitionLag lag = tracker.track(A, position::get);
    lag.observeTimestamp(wallClock.millis() - 5_000);
    tracker.round();
    wallClock.advance(Duration.ofHours(-1));
    ends.ends.put(A, 1_000_000L);
    clock.advance(SECOND);
    assertThat(lag.lagAgeMillis()).isEqualTo(1_000);
    tracker.round();

    assertThat(lag.recordsLag()).isEqualTo(LagValue.of(999_960));
    assertThat(lag.lagAgeMillis()).isZero();
    assertThat(lag.timeLagMillis()).isEqualTo(LagValue.of(0));
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

  @Test
  void a_client_that_throws_is_asked_everything_again() {
    tracker = builder().groupId("g").isolation(IsolationLevel.READ_COMMITTED).build(() -> ends);
    ends.stableEnds.put(A, 100L);
    ends.ends.put(A, 130L);
    ends.starts.put(A, 0L);
    ends.commits.put(A, 30L);
    PartitionLag lag = tracker.track(A, position::get);
    ends.isDown = true;
    tracker.round();
    ends.isDown = false;
    clock.advance(SECOND);
    tracker.round();
    assertThat(lag.recordsLag()).isEqualTo(LagValue.of(60));
    assertThat(lag.recordsLagToHighWatermark()).isEqualTo(LagValue.of(90));
    assertThat(lag.committedOffset()).isEqualTo(30);

    ends.isDown = true;
    clock.advance(Duration.ofSeconds(30));
    tracker.round();
    ends.isDown = false;
    ends.starts.put(A, 90L);
    ends.ends.put(A, 140L);
    clock.advance(SECOND);
    tracker.round();
    assertThat(lag.recordsLost()).isEqualTo(50);
    assertThat(lag.recordsLagToHighWatermark()).isEqualTo(LagValue.of(50));
  }

  @Test
  void a_client_that_throws_when_asked_for_commits_is_asked_again() {
    tracker = builder().groupId("g").build(() -> ends);
    ends.ends.put(A, 100L);
    ends.commits.put(A, 30L);
    PartitionLag lag = tracker.track(A, position::get);
    ends.areCommitsDown = true;
    tracker.round();
    ends.areCommitsDown = false;
    tracker.round();

    assertThat(lag.committedOffset()).isEqualTo(30);
  }

  @Test
  void a_run_that_never_commits_is_a_finding_when_there_is_a_group() {
    tracker = builder().groupId("g").build(() -> ends);
    LagTracker groupless = builder().build(() -> ends);
    ends.commits.put(A, 40L);
    PartitionLag lag = tracker.track(A, position::get);
    PartitionLag free = groupless.track(A, position::get);
    for (int i = 0; i < 7_200; i++) {
      clock.advance(SECOND);
      ends.ends.put(A, position.addAndGet(10));
      tracker.round();
      groupless.round();
    }

    assertThat(lag.status()).isEqualTo(LagStatus.NOT_COMMITTING);
    assertThat(free.status()).isEqualTo(LagStatus.OK);
  }

  @Test
  void tells_how_long_work_has_been_uncommitted() {
    PartitionLag lag = tracker.track(A, position::get);
    ends.ends.put(A, 1_000L);
    for (int i = 0; i < 10; i++) {
      position.addAndGet(10);
      tracker.round();
      clock.advance(SECOND);
    }
    assertThat(lag.uncommittedAgeMillis())
        .as("the first round only tells where it began")
        .isEqualTo(9_000);

    lag.observeCommitted(Position.of(100));
    tracker.round();
    assertThat(lag.uncommittedAgeMillis()).isEqualTo(4_000);
    assertThat(tracker.total().uncommittedAgeMillis()).isEqualTo(4_000);

    lag.observeCommitted(Position.of(position.get()));
    tracker.round();
    assertThat(lag.uncommittedAgeMillis()).isZero();
  }

  @Test
  void its_thread_makes_the_first_round_at_once_and_ends_with_its_client() {
    ends.ends.put(A, 100L);
    LagTracker running =
        LagTracker.builder().interval(Duration.ofHours(1)).threadName("lag-test").start(() -> ends);
    PartitionLag lag = running.track(A, position::get);
    await().untilAsserted(() -> assertThat(lag.recordsLag()).isEqualTo(LagValue.of(60)));
    running.close();

    assertThat(ends.isClosed).isTrue();
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(thread -> thread.getName().equals("lag-test"));
  }

  private LagTracker.Builder builder() {
    return LagTracker.builder().clock(clock).wallClock(wallClock);
  }
}
