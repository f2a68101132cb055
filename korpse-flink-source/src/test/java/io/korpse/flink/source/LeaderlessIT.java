package io.korpse.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korpse.flink.source.testing.RunningJob;
import io.korpse.flink.source.testing.Values;
import io.korpse.testing.EmbeddedBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A partition whose only replica is on a broker that is down. */
@Timeout(240)
final class LeaderlessIT {

  private static final Duration PATIENCE = Duration.ofSeconds(90);

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(1)
              .build());

  private static EmbeddedBroker broker;

  @TempDir private Path savepoints;

  @BeforeAll
  static void startBrokers() {
    broker = EmbeddedBroker.start(2, Map.of());
  }

  @AfterAll
  static void stopBrokers() {
    broker.close();
  }

  /** W27: a start and a restore while one of two partitions of the subtask has no leader. */
  @Test
  void the_others_are_read_at_a_start_and_after_a_restore_and_it_follows_when_it_is_back()
      throws Exception {
    broker.createTopic("t", 2);
    move(0, 0);
    move(1, 1);
    List<String> expected = new ArrayList<>(Values.write(broker, "t", 0, 0, 50));
    List<String> unreachable = Values.write(broker, "t", 1, 0, 50);
    broker.cluster().brokers().get(1).shutdown();
    await().atMost(PATIENCE).until(() -> leader(1) < 0);

    String savepoint;
    try (RunningJob<String> job = RunningJob.start(source(), 1, null)) {
      assertThat(job.awaitCount(50)).isEqualTo(expected);
      savepoint = job.stop(savepoints);
    }
    List<String> more = Values.write(broker, "t", 0, 50, 80);
    try (RunningJob<String> job = RunningJob.start(source(), 1, savepoint)) {
      assertThat(job.awaitCount(30)).isEqualTo(more);

      broker.cluster().brokers().get(1).startup();
      assertThat(job.awaitCount(80)).containsAll(unreachable).hasSize(80);
      assertThat(job.status()).isEqualTo(JobStatus.RUNNING);
    }
  }

  private static KorpseSource<String> source() {
    return KorpseSource.<String>builder()
        .setBootstrapServers(broker.bootstrapServers())
        .setTopics("t")
        .setValueOnlyDeserializer(new SimpleStringSchema())
        .build();
  }

  private static void move(int partition, int node) throws Exception {
    try (Admin admin = broker.admin()) {
      admin
          .alterPartitionReassignments(
              Map.of(
                  new TopicPartition("t", partition),
                  Optional.of(new NewPartitionReassignment(List.of(node)))))
          .all()
          .get(60, TimeUnit.SECONDS);
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  leader(partition) == node
                      && admin.listPartitionReassignments().reassignments().get().isEmpty());
    }
  }

  private static int leader(int partition) throws Exception {
    try (Admin admin = broker.admin()) {
      Node leader =
          admin
              .describeTopics(List.of("t"))
              .allTopicNames()
              .get(60, TimeUnit.SECONDS)
              .get("t")
              .partitions()
              .get(partition)
              .leader();
      return leader == null || leader.isEmpty() ? -1 : leader.id();
    }
  }
}
