package io.korpse.offsets.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.offsets.Position;
import io.korpse.testing.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class CommitPlanTest {

  private static final TopicPartition A = new TopicPartition("t", 0);
  private static final TopicPartition B = new TopicPartition("t", 1);
  private static final TopicPartition C = new TopicPartition("u", 0);
  private static final Duration REFRESH = Duration.ofHours(1);
  private static final Duration VERIFY = Duration.ofMinutes(1);
  private static final Duration PROBE = Duration.ofSeconds(30);

  private final ManualClock clock = new ManualClock(1_000_000);
  private final FakeGroup group = new FakeGroup();
  private final CommitStatus status = new CommitStatus(clock);
  private final List<CommitState> states = new ArrayList<>();
  private final CommitSettings settings =
      new CommitSettings(
          "g",
          "j/0",
          5_000,
          REFRESH.toMillis(),
          VERIFY.toMillis(),
          PROBE.toMillis(),
          new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5), () -> 0.5));
  private final CommitPlan plan =
      new CommitPlan(
          settings,
          status,
          new CommitListener() {
            @Override
            public void stateChanged(CommitState from, CommitState to, String reason) {
              states.add(to);
            }
          },
          clock.millis());
  private final CommitStep step = new CommitStep(() -> group, settings, plan, status, clock);

  @Test
  void commits_what_was_submitted_with_its_leader_epoch() throws Exception {
    submit(1, Map.of(A, new Position(10, 3), B, Position.of(20)));
    step.run();

    assertThat(group.offset(B)).isEqualTo(20);
    assertThat(group.offsets.get(A).leaderEpoch()).contains(3);
    assertThat(plan.isSettled()).isTrue();
    assertThat(status.committed(A)).contains(new Position(10, 3));
    assertThat(states).containsExactly(CommitState.COMMITTING);
  }

  /** W45. */
  @Test
  void sends_only_what_changed() throws Exception {
    submit(1, Map.of(A, Position.of(10), B, Position.of(20)));
    step.run();
    submit(2, Map.of(A, Position.of(10), B, Position.of(21)));
    step.run();
    step.run();

    assertThat(group.requests).hasSize(2);
    assertThat(group.requests.get(1)).containsOnlyKeys(B);
  }

  @Test
  void commits_a_quiet_partition_again_before_the_broker_expires_it() throws Exception {
    submit(1, Map.of(A, Position.of(10)));
    step.run();
    clock.advance(REFRESH.minusMillis(1));
    step.run();
    assertThat(group.requests).hasSize(1);

    clock.advance(Duration.ofMillis(1));
    step.run();

    assertThat(group.requests).hasSize(2);
  }

  @Test
  void never_goes_back_within_a_run() throws Exception {
    submit(1, Map.of(A, Position.of(10)));
    step.run();
    submit(2, Map.of(A, Position.of(9)));
    step.run();

    assertThat(group.offset(A)).isEqualTo(10);
    assertThat(status.staleIgnored()).isEqualTo(1);
  }

  @Test
  void goes_back_at_the_start_of_a_run_after_a_restore() throws Exception {
    group.offsets.put(A, new OffsetAndMetadata(50));
    submit(1, Map.of(A, Position.of(10)));
    step.run();

    assertThat(group.offset(A)).isEqualTo(10);
  }

  @Test
  void a_partition_that_came_back_starts_afresh() throws Exception {
    submit(1, Map.of(A, Position.of(10)));
    step.run();
    plan.remove(List.of(A));
    submit(2, Map.of(A, Position.of(5)));
    step.run();

    assertThat(group.offset(A)).isEqualTo(5);
  }

  @ParameterizedTest
  @EnumSource(
      value = Errors.class,
      names = {
        "COORDINATOR_LOAD_IN_PROGRESS",
        "COORDINATOR_NOT_AVAILABLE",
        "NOT_COORDINATOR",
        "REQUEST_TIMED_OUT",
        "NETWORK_EXCEPTION",
        "REBALANCE_IN_PROGRESS",
        "KAFKA_STORAGE_ERROR",
        "THROTTLING_QUOTA_EXCEEDED",
        "UNKNOWN_TOPIC_ID",
        "UNSTABLE_OFFSET_COMMIT"
      })
  void retries_with_growing_waits_what_passes_by_itself(Errors error) throws Exception {
    group.groupErrors.addAll(List.of(error, error, error));
    submit(1, Map.of(A, Position.of(10)));

    assertThat(waitsUntilSettled()).containsExactly(100L, 200L, 400L);
    assertThat(states).containsExactly(CommitState.RETRYING, CommitState.COMMITTING);
    assertThat(status.failed()).isEqualTo(3);
    assertThat(status.succeeded()).isEqualTo(1);
    assertThat(status.consecutiveFailures()).isZero();
  }

  @Test
  void a_newer_position_replaces_one_that_waits_for_a_retry() throws Exception {
    group.groupErrors.add(Errors.NOT_COORDINATOR);
    submit(1, Map.of(A, Position.of(10)));
    step.run();
    submit(2, Map.of(A, Position.of(11)));
    step.run();
    assertThat(group.requests).hasSize(1);

    clock.advance(Duration.ofMillis(100));
    step.run();

    assertThat(group.requests).hasSize(2);
    assertThat(group.offset(A)).isEqualTo(11);
  }

  @Test
  void a_request_without_an_answer_is_sent_again() throws Exception {
    submit(1, Map.of(A, Position.of(10)));
    plan.failed(new TimeoutException("no answer"), clock.millis());
    assertThat(status.state()).isEqualTo(CommitState.RETRYING);
    step.run();
    assertThat(group.requests).isEmpty();

    clock.advance(Duration.ofMillis(100));
    step.run();

    assertThat(group.offset(A)).isEqualTo(10);
  }

  @Test
  void names_live_members_once_and_probes_slowly() throws Exception {
    group.members = List.of("other at /10.0.0.1");
    submit(1, Map.of(A, Position.of(10)));
    for (int i = 0; i < 100; i++) {
      step.run();
      clock.advance(Duration.ofSeconds(1));
    }
    assertThat(group.requests).hasSizeBetween(3, 4);
    assertThat(group.memberRequests).isEqualTo(1);
    assertThat(states).containsExactly(CommitState.BLOCKED_BY_MEMBERS);
    assertThat(status.reason()).contains("UNKNOWN_MEMBER_ID");

    group.members = List.of();
    clock.advance(PROBE);
    step.run();

    assertThat(group.offset(A)).isEqualTo(10);
    assertThat(status.state()).isEqualTo(CommitState.COMMITTING);
  }

  @ParameterizedTest
  @EnumSource(
      value = Errors.class,
      names = {"GROUP_AUTHORIZATION_FAILED", "INVALID_GROUP_ID", "SASL_AUTHENTICATION_FAILED"})
  void suspends_the_group_until_a_human_has_repaired_it(Errors error) throws Exception {
    group.groupErrors.addAll(List.of(error, error));
    submit(1, Map.of(A, Position.of(10)));

    assertThat(waitsUntilSettled()).containsExactly(PROBE.toMillis(), PROBE.toMillis());
    assertThat(states).containsExactly(CommitState.SUSPENDED, CommitState.COMMITTING);
  }

  @Test
  void suspends_the_group_when_its_offsets_may_not_be_read() throws Exception {
    group.lookupFailures.add(new GroupAuthorizationException("g"));
    submit(1, Map.of(A, Position.of(10)));

    assertThat(waitsUntilSettled()).containsExactly(PROBE.toMillis());
    assertThat(states).containsExactly(CommitState.SUSPENDED, CommitState.COMMITTING);
  }

  @ParameterizedTest
  @EnumSource(
      value = Errors.class,
      names = {"GROUP_ID_NOT_FOUND", "UNSUPPORTED_VERSION", "CLUSTER_AUTHORIZATION_FAILED"})
  void an_error_that_nobody_expects_of_a_commit_is_said_and_probed_slowly(Errors error)
      throws Exception {
    group.groupErrors.add(error);
    submit(1, Map.of(A, Position.of(10)));

    assertThat(waitsUntilSettled()).containsExactly(PROBE.toMillis());
    assertThat(states).containsExactly(CommitState.FAILING, CommitState.COMMITTING);
  }

  @ParameterizedTest
  @EnumSource(
      value = Errors.class,
      names = {
        "TOPIC_AUTHORIZATION_FAILED",
        "INVALID_TOPIC_EXCEPTION",
        "ILLEGAL_GENERATION",
        "FENCED_INSTANCE_ID",
        "FENCED_MEMBER_EPOCH",
        "STALE_MEMBER_EPOCH"
      })
  void isolates_a_refused_partition_and_commits_the_rest(Errors error) throws Exception {
    group.refusals.put(A, error);
    submit(1, Map.of(A, Position.of(10), B, Position.of(20)));
    step.run();

    assertThat(group.offset(B)).isEqualTo(20);
    assertThat(status.refused()).containsOnlyKeys(A).containsValue(error.name());
    assertThat(status.state()).isEqualTo(CommitState.COMMITTING);
    assertThat(status.failed()).isEqualTo(1);
    for (int second = 0; second < 29; second++) {
      submit(2 + second, Map.of(A, Position.of(11 + second), B, Position.of(21 + second)));
      step.run();
      clock.advance(Duration.ofSeconds(1));
    }
    assertThat(group.requests.stream().filter(request -> request.containsKey(A))).hasSize(1);

    group.refusals.clear();
    clock.advance(PROBE);
    step.run();

    assertThat(group.offset(A)).isEqualTo(39);
    assertThat(status.refused()).isEmpty();
  }

  @Test
  void leaves_a_deleted_topic_alone_after_making_sure() throws Exception {
    group.refusals.put(C, Errors.UNKNOWN_TOPIC_OR_PARTITION);
    group.missingTopics.add("u");
    submit(1, Map.of(A, Position.of(10), C, Position.of(20)));
    for (int i = 0; i < 200; i++) {
      step.run();
      clock.advance(Duration.ofSeconds(1));
    }

    assertThat(group.requests.stream().filter(request -> request.containsKey(C)))
        .hasSize(Refusals.ATTEMPTS);
    assertThat(plan.isSettled()).isFalse();
    assertThat(plan.canSettle()).isFalse();
    assertThat(plan.nextDue()).as("still watches A").isLessThan(Long.MAX_VALUE);

    group.refusals.clear();
    submit(2, Map.of(C, Position.of(21)));
    step.run();

    assertThat(group.offset(C)).isEqualTo(21);
  }

  /** The reader of a quiet partition has no newer position to tell that its topic is back. */
  @Test
  void a_quiet_partition_of_a_topic_that_was_gone_for_a_while_is_committed() throws Exception {
    group.refusals.put(C, Errors.UNKNOWN_TOPIC_OR_PARTITION);
    group.missingTopics.add("u");
    submit(1, Map.of(C, Position.of(20)));
    for (int i = 0; i < 10; i++) {
      step.run();
      clock.advance(Duration.ofSeconds(1));
    }
    submit(2, Map.of(C, Position.of(20)));
    assertThat(plan.canSettle()).as("left alone for now").isFalse();

    group.refusals.clear();
    group.missingTopics.clear();
    clock.advance(PROBE);
    submit(3, Map.of(C, Position.of(20)));
    step.run();

    assertThat(group.offset(C)).isEqualTo(20);
  }

  @Test
  void a_topic_that_only_seemed_unknown_is_committed_soon() throws Exception {
    group.refusals.put(A, Errors.UNKNOWN_TOPIC_OR_PARTITION);
    submit(1, Map.of(A, Position.of(10)));
    step.run();
    group.refusals.clear();

    assertThat(waitsUntilSettled()).containsExactly(100L);
  }

  @ParameterizedTest
  @EnumSource(
      value = Errors.class,
      names = {"UNKNOWN_SERVER_ERROR", "INVALID_COMMIT_OFFSET_SIZE"})
  void halves_a_request_that_may_be_too_large(Errors error) throws Exception {
    Map<TopicPartition, Position> many = new HashMap<>();
    for (int i = 0; i < 100; i++) {
      many.put(new TopicPartition("many", i), Position.of(i));
    }
    group.batchLimit = 30;
    group.groupErrors.add(error);
    submit(1, many);
    waitsUntilSettled();

    assertThat(group.offsets).hasSize(100);
    assertThat(group.requests.stream().map(Map::size).limit(3)).containsExactly(100, 50, 25);
  }

  @Test
  void one_partition_that_always_fails_does_not_stop_the_rest() throws Exception {
    group.refusals.put(A, Errors.UNKNOWN_SERVER_ERROR);
    Map<TopicPartition, Position> many = new HashMap<>(Map.of(A, Position.of(10)));
    for (int i = 0; i < 20; i++) {
      many.put(new TopicPartition("many", i), Position.of(i));
    }
    submit(1, many);
    for (int i = 0; i < 60; i++) {
      step.run();
      clock.advance(Duration.ofSeconds(1));
    }

    assertThat(group.offsets).hasSize(20);
    assertThat(status.refused()).containsOnlyKeys(A);
  }

  /** Every row of the error table, and every code that is in none. */
  @ParameterizedTest
  @EnumSource(value = Errors.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void any_error_that_comes_once_is_counted_or_trimmed_and_the_position_gets_there(Errors error)
      throws Exception {
    group.groupErrors.add(error);
    submit(1, Map.of(A, Position.of(10)));
    step.run();
    assertThat(plan.isSettled()).isFalse();
    assertThat(status.failed() + status.metadataTrimmed()).isPositive();

    waitsUntilSettled();

    assertThat(group.offset(A)).isEqualTo(10);
    assertThat(status.state()).isEqualTo(CommitState.COMMITTING);
    assertThat(status.refused()).isEmpty();
  }

  @Test
  void shortens_metadata_that_the_broker_finds_too_long_and_counts_it() throws Exception {
    String streams = "AgAAAAAAAABkAAAAAA==";
    group.offsets.put(A, new OffsetAndMetadata(5, "x".repeat(200)));
    group.offsets.put(B, new OffsetAndMetadata(5, streams));
    group.metadataLimit = 100;
    submit(1, Map.of(A, Position.of(10), B, Position.of(20)));
    waitsUntilSettled();

    assertThat(group.offset(A)).isEqualTo(10);
    assertThat(group.metadata(A)).startsWith("korpse/1 job=j/0 checkpoint=1 at=");
    assertThat(group.metadata(B)).isEqualTo(streams);
    assertThat(status.metadataTrimmed()).isEqualTo(2);

    submit(2, Map.of(A, Position.of(11)));
    step.run();
    assertThat(group.offset(A)).as("at once the second time").isEqualTo(11);
  }

  @Test
  void commits_without_metadata_when_the_broker_takes_none() throws Exception {
    group.metadataLimit = 0;
    submit(1, Map.of(A, Position.of(10)));
    waitsUntilSettled();

    assertThat(group.offset(A)).isEqualTo(10);
    assertThat(group.metadata(A)).isEmpty();
  }

  @Test
  void corrects_and_counts_a_group_that_a_frozen_task_set_back() throws Exception {
    submit(1, Map.of(A, Position.of(10)));
    step.run();
    group.offsets.put(A, new OffsetAndMetadata(3));
    clock.advance(VERIFY);
    step.run();

    assertThat(group.offset(A)).isEqualTo(10);
    assertThat(status.stepsBack()).isEqualTo(1);
  }

  @Test
  void does_not_try_again_when_a_later_attempt_has_taken_over_meanwhile() throws Exception {
    group.gate = new CompletableFuture<>();
    group.gate.completeExceptionally(new TimeoutException("frozen"));
    submit(4, Map.of(A, Position.of(10), B, Position.of(10)));
    step.run();
    group.gate = null;
    clock.advance(Duration.ofSeconds(1));
    group.offsets.put(A, byAttempt("j/1", 5, 30));
    group.offsets.put(B, byAttempt("k/1", 5, 30));
    step.run();

    assertThat(group.offset(B)).isEqualTo(10);
    assertThat(group.offset(A)).isEqualTo(30);

    assertThat(status.refused()).containsEntry(A, "SUPERSEDED");

    submit(6, Map.of(A, Position.of(40)));
    waitsUntilSettled();
    assertThat(group.offset(A)).isEqualTo(40);
    assertThat(status.refused()).isEmpty();
  }

  @Test
  void a_later_checkpoint_with_the_same_positions_ends_the_silence() throws Exception {
    clock.advance(Duration.ofSeconds(1));
    group.offsets.put(A, byAttempt("j/1", 5, 3));
    submit(4, Map.of(A, Position.of(10)));
    step.run();
    assertThat(group.offset(A)).isEqualTo(3);

    submit(6, Map.of(A, Position.of(10)));
    waitsUntilSettled();
    assertThat(group.offset(A)).isEqualTo(10);
  }

  @Test
  void commits_without_checkpoints_whatever_an_attempt_with_checkpoints_wrote() throws Exception {
    clock.advance(Duration.ofSeconds(1));
    group.offsets.put(A, byAttempt("j/1", 5, 3));
    submit(-1, Map.of(A, Position.of(10)));
    step.run();

    assertThat(group.offset(A)).isEqualTo(10);
  }

  @Test
  void goes_back_to_an_older_savepoint_of_the_same_job() throws Exception {
    group.offsets.put(A, byAttempt("j/1", 120, 5_000));
    clock.advance(Duration.ofSeconds(1));
    submit(4, Map.of(A, Position.of(10)));
    step.run();

    assertThat(group.offset(A)).isEqualTo(10);
    assertThat(status.stepsBack()).isZero();
  }

  @Test
  void reads_the_group_again_after_others_were_members_of_it() throws Exception {
    String streams = "AgAAAAAAAABkAAAAAA==";
    submit(1, Map.of(A, Position.of(5)));
    step.run();
    group.members = List.of("another");
    submit(2, Map.of(A, Position.of(10)));
    step.run();
    group.offsets.put(A, new OffsetAndMetadata(50, streams));
    group.members = List.of();
    waitsUntilSettled();

    assertThat(group.offset(A)).isEqualTo(10);
    assertThat(group.metadata(A)).isEqualTo(streams);
    assertThat(status.stepsBack()).isEqualTo(1);
  }

  @Test
  void waits_until_what_the_group_holds_can_be_read() throws Exception {
    String streams = "AgAAAAAAAABkAAAAAA==";
    group.offsets.put(A, new OffsetAndMetadata(5, streams));
    group.unreadable.add(A);
    submit(1, Map.of(A, Position.of(10), B, Position.of(20)));
    step.run();
    assertThat(group.offset(A)).isEqualTo(5);
    assertThat(group.offset(B)).isEqualTo(20);
    assertThat(status.refused()).containsOnlyKeys(A);

    group.unreadable.clear();
    waitsUntilSettled();
    assertThat(group.offset(A)).isEqualTo(10);
    assertThat(group.metadata(A)).isEqualTo(streams);
    assertThat(status.refused()).isEmpty();
  }

  @Test
  void says_that_it_fails_when_every_partition_is_refused() throws Exception {
    group.refusals.put(A, Errors.TOPIC_AUTHORIZATION_FAILED);
    submit(1, Map.of(A, Position.of(10)));
    step.run();
    assertThat(states).containsExactly(CommitState.FAILING);
    assertThat(status.reason()).contains("t-0").contains("TOPIC_AUTHORIZATION_FAILED");

    group.refusals.clear();
    waitsUntilSettled();
    assertThat(states).containsExactly(CommitState.FAILING, CommitState.COMMITTING);
  }

  @Test
  void credentials_that_expired_are_said_and_probed_slowly() throws Exception {
    group.lookupFailures.add(new SslAuthenticationException("certificate expired"));
    submit(1, Map.of(A, Position.of(10)));

    assertThat(waitsUntilSettled()).containsExactly(PROBE.toMillis());
    assertThat(states).containsExactly(CommitState.SUSPENDED, CommitState.COMMITTING);
  }

  @Test
  void tries_again_when_what_is_in_the_group_is_older_or_its_own() throws Exception {
    group.gate = new CompletableFuture<>();
    group.gate.completeExceptionally(new TimeoutException("slow"));
    submit(4, Map.of(A, Position.of(10), B, Position.of(10)));
    step.run();
    group.gate = null;
    clock.advance(Duration.ofSeconds(1));
    group.offsets.put(A, byAttempt("j/0", 9, 3));
    group.offsets.put(B, byAttempt("j/7", 4, 3));
    waitsUntilSettled();

    assertThat(group.offset(A)).isEqualTo(10);
    assertThat(group.offset(B)).isEqualTo(10);
  }

  private OffsetAndMetadata byAttempt(String identity, long checkpoint, long offset) {
    return new OffsetAndMetadata(
        offset,
        CommitMetadata.compose(
            identity, checkpoint, clock.millis(), null, CommitMetadata.Detail.FULL));
  }

  @Test
  void puts_a_commit_back_that_was_deleted() throws Exception {
    submit(1, Map.of(A, Position.of(10)));
    step.run();
    group.offsets.remove(A);
    clock.advance(VERIFY);
    step.run();

    assertThat(group.offset(A)).isEqualTo(10);
    assertThat(status.stepsBack()).isZero();
  }

  @Test
  void tells_the_age_of_the_oldest_position_that_is_not_in_the_group() throws Exception {
    group.groupErrors.add(Errors.NOT_COORDINATOR);
    submit(1, Map.of(A, Position.of(10)));
    step.run();
    clock.advance(Duration.ofMillis(60));
    submit(2, Map.of(A, Position.of(11)));
    plan.nextDue();
    assertThat(status.pendingAgeMillis()).isEqualTo(60);

    clock.advance(Duration.ofMillis(60));
    step.run();
    plan.nextDue();

    assertThat(status.pendingAgeMillis()).isZero();
  }

  @Test
  void has_nothing_to_do_before_anything_is_submitted() {
    assertThat(plan.nextDue()).isEqualTo(Long.MAX_VALUE);
    assertThat(status.state()).isEqualTo(CommitState.IDLE);
  }

  private void submit(long checkpointId, Map<TopicPartition, Position> positions) {
    plan.submit(checkpointId, positions, clock.millis());
  }

  /** Runs the plan as its thread would and returns how long it slept each time. */
  private List<Long> waitsUntilSettled() throws InterruptedException {
    List<Long> waits = new ArrayList<>();
    for (int i = 0; i < 1_000 && !plan.isSettled(); i++) {
      long wait = plan.nextDue() - clock.millis();
      if (wait > 0) {
        waits.add(wait);
        clock.advance(Duration.ofMillis(wait));
      }
      step.run();
    }
    assertThat(plan.isSettled()).isTrue();
    return waits;
  }
}
