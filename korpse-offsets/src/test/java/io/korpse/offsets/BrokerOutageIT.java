package io.korpse.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korpse.offsets.Resolution.Resolved;
import io.korpse.offsets.Resolution.Unresolved;
import io.korpse.offsets.commit.CommitState;
import io.korpse.offsets.commit.OffsetCommitter;
import io.korpse.testing.EmbeddedBroker;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Brokers that go away. */
@Timeout(240)
final class BrokerOutageIT {

  private static final TopicPartition P0 = new TopicPartition("t", 0);
  private static final TopicPartition P1 = new TopicPartition("t", 1);
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  /** W41. */
  @Test
  void the_coordinator_is_killed_while_commits_go_on() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(2, Map.of());
        Admin admin = broker.admin();
        OffsetCommitter committer = committer(broker)) {
      broker.createTopic("t", 2);
      committer.submit(1, Map.of(P0, Position.of(1)));
      assertThat(committer.flush(PATIENCE)).isTrue();
      int coordinator = coordinator(admin);
      int survivor = 1 - coordinator;
      broker.move(P0, survivor);
      Thread killer = new Thread(() -> broker.cluster().brokers().get(coordinator).shutdown());
      killer.start();
      long id = 2;
      while (killer.isAlive()) {
        committer.submit(id, Map.of(P0, Position.of(id)));
        committer.flush(Duration.ofMillis(20));
        id++;
      }
      committer.submit(id, Map.of(P0, Position.of(id)));
      assertThat(committer.flush(PATIENCE)).isTrue();

      assertThat(coordinator(admin)).isEqualTo(survivor);
      assertThat(committed(admin)).isEqualTo(id);
      assertThat(committer.status().state()).isEqualTo(CommitState.COMMITTING);

      OffsetResolver resolver =
          new OffsetResolver(
              admin,
              "g",
              IsolationLevel.READ_UNCOMMITTED,
              DataLossPolicy.EARLIEST,
              Duration.ofSeconds(20),
              Clock.systemUTC());
      assertThat(resolver.resolve(List.of(P0), OffsetRule.committed()).get(P0))
          .isInstanceOf(Resolved.class);
    }
  }

  @Test
  void a_partition_without_a_leader_does_not_hold_up_the_others() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(2, Map.of());
        Admin admin = broker.admin()) {
      broker.createTopic("t", 2);
      broker.move(P0, 0);
      broker.move(P1, 1);
      broker.cluster().brokers().get(1).shutdown();
      await().atMost(PATIENCE).until(() -> leader(admin, 1) < 0);
      OffsetResolver resolver =
          new OffsetResolver(
              admin,
              null,
              IsolationLevel.READ_UNCOMMITTED,
              DataLossPolicy.FAIL,
              Duration.ofSeconds(60),
              Clock.systemUTC());
      long start = System.nanoTime();
      Map<TopicPartition, Resolution> answers =
          resolver.resolve(List.of(P0, P1), OffsetRule.earliest());

      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
      assertThat(answers.get(P0)).isInstanceOf(Resolved.class);
      assertThat(((Unresolved) answers.get(P1)).retriable()).isTrue();
      assertThat(((Unresolved) answers.get(P1)).reason()).contains("t-1", "no leader");

      broker.cluster().brokers().get(1).startup();
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  resolver.resolve(List.of(P1), OffsetRule.earliest()).get(P1) instanceof Resolved);
    }
  }

  @Test
  void a_broker_that_is_down_for_longer_than_a_checkpoint() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start();
        Admin admin = broker.admin();
        OffsetCommitter committer = committer(broker)) {
      broker.createTopic("t", 2);
      committer.submit(1, Map.of(P0, Position.of(1)));
      assertThat(committer.flush(PATIENCE)).isTrue();
      broker.cluster().brokers().get(0).shutdown();
      for (int id = 2; id <= 20; id++) {
        committer.submit(id, Map.of(P0, Position.of(id)));
      }
      await().atMost(PATIENCE).until(() -> committer.status().consecutiveFailures() >= 2);
      assertThat(committer.status().state()).isEqualTo(CommitState.RETRYING);
      assertThat(committer.status().pendingAgeMillis()).isPositive();

      broker.cluster().brokers().get(0).startup();
      assertThat(committer.flush(PATIENCE)).isTrue();
      assertThat(committed(admin)).isEqualTo(20);
      assertThat(committer.status().state()).isEqualTo(CommitState.COMMITTING);
      assertThat(committer.status().consecutiveFailures()).isZero();
    }
  }

  private static OffsetCommitter committer(EmbeddedBroker broker) {
    return OffsetCommitter.builder()
        .admin(broker::admin)
        .groupId("g")
        .identity("job")
        .requestTimeout(Duration.ofSeconds(2))
        .build();
  }

  private static int coordinator(Admin admin) throws Exception {
    return admin
        .describeConsumerGroups(List.of("g"))
        .describedGroups()
        .get("g")
        .get(60, TimeUnit.SECONDS)
        .coordinator()
        .id();
  }

  private static int leader(Admin admin, int partition) throws Exception {
    var info =
        admin
            .describeTopics(List.of("t"))
            .allTopicNames()
            .get(60, TimeUnit.SECONDS)
            .get("t")
            .partitions()
            .get(partition);
    return info.leader() == null || info.leader().isEmpty() ? -1 : info.leader().id();
  }

  private static long committed(Admin admin) throws Exception {
    OffsetAndMetadata committed =
        admin
            .listConsumerGroupOffsets("g")
            .partitionsToOffsetAndMetadata()
            .get(60, TimeUnit.SECONDS)
            .get(P0);
    return committed.offset();
  }
}
