package io.korpse.offsets.lag;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.offsets.Position;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Brokers that do not answer, or with an error, and clients that fail. */
@Timeout(30)
final class LagFailuresTest extends LagFixture {

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
}
