package io.korpse.offsets.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.offsets.Position;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class CommitPlanTest extends CommitPlanFixture {

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

  @Test
  void credentials_that_expired_are_said_and_probed_slowly() throws Exception {
    group.lookupFailures.add(new SslAuthenticationException("certificate expired"));
    submit(1, Map.of(A, Position.of(10)));

    assertThat(waitsUntilSettled()).containsExactly(PROBE.toMillis());
    assertThat(states).containsExactly(CommitState.SUSPENDED, CommitState.COMMITTING);
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
}
