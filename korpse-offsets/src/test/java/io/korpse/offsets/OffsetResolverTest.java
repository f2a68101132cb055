package io.korpse.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.offsets.FakeBroker.Log;
import io.korpse.offsets.Resolution.Resolved;
import io.korpse.offsets.Resolution.Unresolved;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.CoordinatorLoadInProgressException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.NotCoordinatorException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
final class OffsetResolverTest {

  private static final TopicPartition A = new TopicPartition("t", 0);
  private static final TopicPartition B = new TopicPartition("t", 1);
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private final FakeBroker broker = new FakeBroker();

  @BeforeEach
  void fill() {
    Log log = new Log(10, 90, 100);
    log.offsetsByTimestamp.put(1_000L, 20L);
    log.offsetsByTimestamp.put(2_000L, 50L);
    log.offsetsByTimestamp.put(3_000L, 95L);
    broker.logs.put(A, log);
    broker.logs.put(B, new Log(0, 0, 0));
  }

  @Test
  void earliest_is_the_log_start() {
    assertThat(resolve(OffsetRule.earliest(), A))
        .isEqualTo(new Resolved(A, new Position(10, 0), Origin.EARLIEST, ""));
  }

  @Test
  void latest_is_the_end_that_the_isolation_level_shows() {
    assertThat(offset(OffsetRule.latest(), IsolationLevel.READ_UNCOMMITTED)).isEqualTo(100);
    assertThat(offset(OffsetRule.latest(), IsolationLevel.READ_COMMITTED)).isEqualTo(90);
  }

  @Test
  void a_timestamp_is_the_first_record_at_or_after_it() {
    assertThat(resolve(OffsetRule.timestamp(1_001), A))
        .isEqualTo(new Resolved(A, new Position(50, 1), Origin.TIMESTAMP, ""));
  }

  @Test
  void a_timestamp_after_all_records_is_the_log_end_and_says_so() {
    Resolved resolved = (Resolved) resolve(OffsetRule.timestamp(4_000), A);

    assertThat(resolved.position().offset()).isEqualTo(100);
    assertThat(resolved.origin()).isEqualTo(Origin.TIMESTAMP);
    assertThat(resolved.detail()).contains("4000").contains("log end");
  }

  @Test
  void a_record_that_arrives_while_a_timestamp_is_resolved_is_not_skipped() {
    broker.betweenRequests = () -> broker.logs.get(A).end++;

    assertThat(((Resolved) resolve(OffsetRule.timestamp(4_000), A)).position().offset())
        .isEqualTo(100);
  }

  @Test
  void an_open_transaction_hides_its_records_from_a_timestamp() {
    assertThat(offset(OffsetRule.timestamp(2_500), IsolationLevel.READ_COMMITTED)).isEqualTo(90);
    assertThat(offset(OffsetRule.timestamp(2_500), IsolationLevel.READ_UNCOMMITTED)).isEqualTo(95);
  }

  @Test
  void a_duration_counts_back_from_now() {
    long age = Clock.systemUTC().millis() - 1_500;

    assertThat(resolve(OffsetRule.before(Duration.ofMillis(age)), A))
        .isEqualTo(new Resolved(A, new Position(50, 1), Origin.DURATION, ""));
    assertThat(((Resolved) resolve(OffsetRule.before(Duration.ofDays(365_000)), A)).position())
        .as("before 1970")
        .isEqualTo(new Position(20, 1));
  }

  @Test
  void committed_is_what_the_group_committed_with_its_epoch() {
    broker.commits.put(A, new OffsetAndMetadata(42, Optional.of(3), "x"));

    assertThat(resolve(OffsetRule.committed(), A))
        .isEqualTo(new Resolved(A, new Position(42, 3), Origin.COMMITTED, ""));
  }

  @Test
  void no_commit_is_an_error_that_names_partition_group_and_remedy() {
    Unresolved unresolved = (Unresolved) resolve(OffsetRule.committed(), A);

    assertThat(unresolved.retriable()).isFalse();
    assertThat(unresolved.reason()).contains("t-0", "'g'", "committed(earliest())");
  }

  @Test
  void no_commit_takes_the_named_fallback_and_says_so() {
    Resolved resolved = (Resolved) resolve(OffsetRule.committed(OffsetRule.latest()), A);

    assertThat(resolved.position().offset()).isEqualTo(100);
    assertThat(resolved.origin()).isEqualTo(Origin.LATEST);
    assertThat(resolved.detail()).contains("no commit");
  }

  @Test
  void a_group_that_does_not_exist_has_no_commits() {
    broker.groupFailures.add(new GroupIdNotFoundException("g"));

    assertThat(((Resolved) resolve(OffsetRule.committed(OffsetRule.earliest()), A)).origin())
        .isEqualTo(Origin.EARLIEST);
  }

  @Test
  void an_unstable_commit_is_waited_for_and_never_read_as_none() {
    broker.commits.put(A, new OffsetAndMetadata(42));
    broker.unstable.add(A);
    broker.betweenRequests =
        () -> {
          if (broker.committedRequests == 2) {
            broker.unstable.clear();
          }
        };

    assertThat(((Resolved) resolve(OffsetRule.committed(OffsetRule.earliest()), A)).position())
        .isEqualTo(Position.of(42));
  }

  @Test
  void a_commit_that_stays_unstable_is_retriable_and_holds_up_nothing() {
    broker.unstable.add(A);
    broker.commits.put(B, new OffsetAndMetadata(0));
    Map<TopicPartition, Resolution> answers =
        resolver(IsolationLevel.READ_UNCOMMITTED, DataLossPolicy.FAIL)
            .resolve(List.of(A, B), OffsetRule.committed(OffsetRule.earliest()));

    assertThat(answers.get(B)).isInstanceOf(Resolved.class);
    assertThat(((Unresolved) answers.get(A)).retriable()).isTrue();
    assertThat(((Unresolved) answers.get(A)).reason()).contains("t-0", "'g'", "transaction");
  }

  @Test
  void says_what_a_look_at_the_topic_finds_when_its_commit_cannot_be_read() {
    broker.unstable.add(A);
    broker.findings.put(A, "topic t does not exist");
    Unresolved unresolved = (Unresolved) resolve(OffsetRule.committed(), A);

    assertThat(unresolved.reason()).contains("t-0", "topic t does not exist");
  }

  @Test
  void a_coordinator_that_is_loading_or_has_moved_is_asked_again() {
    broker.commits.put(A, new OffsetAndMetadata(42));
    broker.groupFailures.add(new CoordinatorLoadInProgressException("loading"));
    broker.groupFailures.add(new NotCoordinatorException("moved"));

    assertThat(((Resolved) resolve(OffsetRule.committed(), A)).position())
        .isEqualTo(Position.of(42));
    assertThat(broker.committedRequests).isEqualTo(3);
  }

  @Test
  void a_missing_right_on_the_group_is_said_at_once() {
    broker.groupFailures.add(new GroupAuthorizationException("g"));
    Unresolved unresolved = (Unresolved) resolve(OffsetRule.committed(OffsetRule.earliest()), A);

    assertThat(unresolved.retriable()).isFalse();
    assertThat(unresolved.reason()).contains("t-0", "'g'", "DESCRIBE");
    assertThat(broker.committedRequests).isEqualTo(1);
  }

  @Test
  void a_commit_below_the_log_start_is_data_loss() {
    broker.commits.put(A, new OffsetAndMetadata(3));

    Unresolved failed = (Unresolved) resolve(OffsetRule.committed(), A);
    assertThat(failed.retriable()).isFalse();
    assertThat(failed.reason()).contains("t-0", "'g'", "3", "log start 10", "7 records");
    assertThat(lost(DataLossPolicy.EARLIEST)).isEqualTo(10);
    assertThat(lost(DataLossPolicy.LATEST)).isEqualTo(100);
  }

  @Test
  void a_commit_beyond_the_log_end_is_data_loss() {
    broker.commits.put(A, new OffsetAndMetadata(101));

    assertThat(((Unresolved) resolve(OffsetRule.committed(), A)).reason())
        .contains("101", "log end 100");
    assertThat(lost(DataLossPolicy.EARLIEST)).isEqualTo(100);
    assertThat(lost(DataLossPolicy.LATEST)).isEqualTo(100);
  }

  @Test
  void a_commit_with_an_epoch_that_never_was_belongs_to_another_log() {
    broker.commits.put(A, new OffsetAndMetadata(42, Optional.of(6), ""));

    assertThat(((Unresolved) resolve(OffsetRule.committed(), A)).reason())
        .contains("42@6", "created again");
    assertThat(lost(DataLossPolicy.EARLIEST)).isEqualTo(10);
    assertThat(lost(DataLossPolicy.LATEST)).isEqualTo(100);
  }

  @Test
  void a_commit_at_the_log_end_is_no_data_loss() {
    broker.commits.put(A, new OffsetAndMetadata(100));

    assertThat(resolve(OffsetRule.committed(), A)).isInstanceOf(Resolved.class);
  }

  @Test
  void a_commit_between_the_last_stable_offset_and_the_end_is_no_data_loss() {
    broker.commits.put(A, new OffsetAndMetadata(95));
    OffsetResolver resolver = resolver(IsolationLevel.READ_COMMITTED, DataLossPolicy.FAIL);

    assertThat(resolver.resolve(List.of(A), OffsetRule.committed()).get(A))
        .isInstanceOf(Resolved.class);
  }

  @Test
  void a_leader_that_is_a_moment_behind_is_no_data_loss() {
    broker.commits.put(A, new OffsetAndMetadata(101));
    broker.betweenRequests =
        () -> {
          if (broker.listRequests == 2) {
            broker.logs.get(A).end = 101;
          }
        };

    assertThat(resolve(OffsetRule.committed(), A))
        .isEqualTo(new Resolved(A, Position.of(101), Origin.COMMITTED, ""));
  }

  @Test
  void explicit_offsets_win_and_the_rest_goes_down_the_chain() {
    broker.commits.put(B, new OffsetAndMetadata(0));
    Map<TopicPartition, Resolution> answers =
        resolver(IsolationLevel.READ_UNCOMMITTED, DataLossPolicy.FAIL)
            .resolve(
                List.of(A, B),
                OffsetRule.explicit(Map.of(A, 33L), OffsetRule.committed(OffsetRule.earliest())));

    assertThat(answers.get(A)).isEqualTo(new Resolved(A, Position.of(33), Origin.EXPLICIT, ""));
    assertThat(((Resolved) answers.get(B)).origin()).isEqualTo(Origin.COMMITTED);
  }

  @Test
  void an_explicit_offset_outside_the_log_is_data_loss() {
    OffsetRule rule = OffsetRule.explicit(Map.of(A, 5L), OffsetRule.earliest());

    assertThat(((Unresolved) resolve(rule, A)).reason()).contains("explicit offset 5");
  }

  @Test
  void custom_code_may_ask_and_must_answer() {
    broker.commits.put(A, new OffsetAndMetadata(42));
    OffsetRule rule =
        OffsetRule.custom(
            (partitions, lookup) -> {
              Map<TopicPartition, Long> offsets = new HashMap<>();
              offsets.put(
                  A,
                  lookup.earliest(List.of(A)).get(A)
                      + lookup.atTimestamps(Map.of(A, 1_000L)).get(A));
              return offsets;
            });

    assertThat(resolve(rule, A)).isEqualTo(new Resolved(A, Position.of(30), Origin.CUSTOM, ""));
    assertThat(((Unresolved) resolve(rule, B)).reason()).contains("no offset for t-1");
  }

  @Test
  void a_partition_that_custom_code_could_not_ask_for_stays_retriable() {
    TopicPartition leaderless = new TopicPartition("t", 9);
    OffsetRule rule = OffsetRule.custom((partitions, lookup) -> lookup.latest(partitions));

    assertThat(((Unresolved) resolve(rule, leaderless)).retriable()).isTrue();
  }

  @Test
  void a_partition_without_a_leader_does_not_hold_up_the_rest() {
    TopicPartition leaderless = new TopicPartition("t", 9);
    broker.findings.put(leaderless, "no leader; its replicas are on brokers [1]");
    OffsetResolver resolver =
        new OffsetResolver(
            broker,
            "g",
            IsolationLevel.READ_UNCOMMITTED,
            DataLossPolicy.FAIL,
            Duration.ofSeconds(25),
            Clock.systemUTC());
    long start = System.nanoTime();
    Map<TopicPartition, Resolution> answers =
        resolver.resolve(List.of(A, leaderless, B), OffsetRule.earliest());

    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    assertThat(answers.get(A)).isInstanceOf(Resolved.class);
    assertThat(answers.get(B)).isInstanceOf(Resolved.class);
    assertThat(((Unresolved) answers.get(leaderless)).retriable()).isTrue();
    assertThat(((Unresolved) answers.get(leaderless)).reason()).contains("t-9", "no leader");
  }

  @Test
  void a_missing_right_on_a_topic_concerns_that_topic() {
    broker.failures.put(B, new TopicAuthorizationException("t"));
    Map<TopicPartition, Resolution> answers =
        resolver(IsolationLevel.READ_UNCOMMITTED, DataLossPolicy.FAIL)
            .resolve(List.of(A, B), OffsetRule.earliest());

    assertThat(answers.get(A)).isInstanceOf(Resolved.class);
    assertThat(((Unresolved) answers.get(B)).retriable()).isFalse();
    assertThat(((Unresolved) answers.get(B)).reason()).contains("DESCRIBE");
  }

  @ParameterizedTest
  @EnumSource(
      value = Errors.class,
      names = {
        "LEADER_NOT_AVAILABLE",
        "NOT_LEADER_OR_FOLLOWER",
        "REQUEST_TIMED_OUT",
        "NETWORK_EXCEPTION",
        "KAFKA_STORAGE_ERROR",
        "FENCED_LEADER_EPOCH",
        "UNKNOWN_LEADER_EPOCH",
        "OFFSET_NOT_AVAILABLE",
        "UNKNOWN_TOPIC_ID",
        "INCONSISTENT_TOPIC_ID",
        "UNKNOWN_TOPIC_OR_PARTITION",
        "THROTTLING_QUOTA_EXCEEDED",
        "UNKNOWN_SERVER_ERROR"
      })
  void an_error_that_passes_is_worth_asking_again(Errors error) {
    broker.failures.put(A, error.exception());

    assertThat(((Unresolved) resolve(OffsetRule.earliest(), A)).retriable()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(
      value = Errors.class,
      names = {
        "INVALID_TOPIC_EXCEPTION",
        "CLUSTER_AUTHORIZATION_FAILED",
        "UNSUPPORTED_VERSION",
        "SASL_AUTHENTICATION_FAILED"
      })
  void an_error_that_stays_is_not_worth_asking_again(Errors error) {
    broker.failures.put(A, error.exception());

    assertThat(((Unresolved) resolve(OffsetRule.earliest(), A)).retriable()).isFalse();
  }

  @Test
  void records_without_timestamps_are_as_if_there_were_none() {
    broker.timestampFailures.put(A, Errors.UNSUPPORTED_FOR_MESSAGE_FORMAT.exception());

    assertThat(((Resolved) resolve(OffsetRule.timestamp(1_000), A)).position().offset())
        .isEqualTo(100);
  }

  @Test
  void a_rule_that_reads_commits_needs_a_group() {
    OffsetResolver resolver =
        new OffsetResolver(
            broker,
            null,
            IsolationLevel.READ_UNCOMMITTED,
            DataLossPolicy.FAIL,
            TIMEOUT,
            Clock.systemUTC());

    assertThatThrownBy(
            () ->
                resolver.resolve(
                    List.of(A),
                    OffsetRule.explicit(Map.of(), OffsetRule.committed(OffsetRule.latest()))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("group id");
  }

  @Test
  void answers_each_partition_that_was_asked_for() {
    Map<TopicPartition, Resolution> answers = new LinkedHashMap<>();
    for (OffsetRule rule :
        List.of(
            OffsetRule.earliest(),
            OffsetRule.latest(),
            OffsetRule.timestamp(0),
            OffsetRule.before(Duration.ZERO),
            OffsetRule.committed(),
            OffsetRule.explicit(Map.of(A, 20L), OffsetRule.latest()),
            OffsetRule.custom((partitions, lookup) -> Map.of()))) {
      answers.putAll(
          resolver(IsolationLevel.READ_COMMITTED, DataLossPolicy.FAIL)
              .resolve(List.of(A, B), rule));
      assertThat(answers).as(rule.toString()).containsOnlyKeys(A, B);
      answers.clear();
    }
  }

  private Resolution resolve(OffsetRule rule, TopicPartition partition) {
    return resolver(IsolationLevel.READ_UNCOMMITTED, DataLossPolicy.FAIL)
        .resolve(List.of(partition), rule)
        .get(partition);
  }

  private long offset(OffsetRule rule, IsolationLevel isolation) {
    return ((Resolved) resolver(isolation, DataLossPolicy.FAIL).resolve(List.of(A), rule).get(A))
        .position()
        .offset();
  }

  private long lost(DataLossPolicy policy) {
    Resolved resolved =
        (Resolved)
            resolver(IsolationLevel.READ_UNCOMMITTED, policy)
                .resolve(List.of(A), OffsetRule.committed())
                .get(A);
    assertThat(resolved.origin()).isEqualTo(Origin.DATA_LOSS);
    assertThat(resolved.detail()).contains("t-0").contains("Going on at");
    return resolved.position().offset();
  }

  private OffsetResolver resolver(IsolationLevel isolation, DataLossPolicy policy) {
    return new OffsetResolver(broker, "g", isolation, policy, TIMEOUT, Clock.systemUTC());
  }
}
