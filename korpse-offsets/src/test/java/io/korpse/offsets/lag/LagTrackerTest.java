package io.korpse.offsets.lag;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.korpse.offsets.Position;
import java.time.Duration;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class LagTrackerTest extends LagFixture {

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
}
