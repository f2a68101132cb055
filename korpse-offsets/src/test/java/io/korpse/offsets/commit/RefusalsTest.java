package io.korpse.offsets.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.offsets.Position;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Partitions that the broker refuses while it takes others. */
final class RefusalsTest extends CommitPlanFixture {

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
}
