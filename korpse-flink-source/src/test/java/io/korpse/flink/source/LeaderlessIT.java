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
import java.util.concurrent.atomic.AtomicLong;
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

  /** When the reader of the timed job began, and when it had its first record. */
  private static final AtomicLong CREATED_NANOS = new AtomicLong();

  private static final AtomicLong FETCHED_NANOS = new AtomicLong();

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
    move("t", 0, 0);
    move("t", 1, 1);
    List<String> expected = new ArrayList<>(Values.write(broker, "t", 0, 0, 50));
    List<String> unreachable = Values.write(broker, "t", 1, 0, 50);
    broker.cluster().brokers().get(1).shutdown();
    await().atMost(PATIENCE).until(() -> leader("t", 1) < 0);

    String savepoint;
    try (RunningJob<String> job = RunningJob.start(source("t").build(), 1, null)) {
      assertThat(job.awaitCount(50)).isEqualTo(expected);
      savepoint = job.stop(savepoints);
    }
    List<String> more = Values.write(broker, "t", 0, 50, 80);
    try (RunningJob<String> job = RunningJob.start(source("t").build(), 1, savepoint)) {
      assertThat(job.awaitCount(30)).isEqualTo(more);

      broker.cluster().brokers().get(1).startup();
      assertThat(job.awaitCount(80)).containsAll(unreachable).hasSize(80);
      assertThat(job.status()).isEqualTo(JobStatus.RUNNING);
    }
  }

  /** Its end cannot be asked for, and the others are asked about with it. */
  @Test
  void a_restored_partition_that_has_lost_its_leader_does_not_hold_up_the_others()
      throws Exception {
    broker.createTopic("lost", 2);
    move("lost", 0, 0);
    move("lost", 1, 1);
    Values.write(broker, "lost", 0, 0, 50);
    Values.write(broker, "lost", 1, 50, 100);
    String savepoint;
    try (RunningJob<String> job = RunningJob.start(source("lost").build(), 1, null)) {
      job.awaitCount(100);
      savepoint = job.stop(savepoints);
    }
    broker.cluster().brokers().get(1).shutdown();
    await().atMost(PATIENCE).until(() -> leader("lost", 1) < 0);
    List<String> more = Values.write(broker, "lost", 0, 100, 130);

    KorpseSource<String> timed =
        source("lost")
            .setConsumerFactory(
                (config, keys, values) -> {
                  CREATED_NANOS.compareAndSet(0, System.nanoTime());
                  return KafkaConsumerFactory.STANDARD.create(config, keys, values);
                })
            .setRecordHook(
                (record, drops) -> {
                  FETCHED_NANOS.compareAndSet(0, System.nanoTime());
                  return record;
                })
            .build();
    try (RunningJob<String> job = RunningJob.start(timed, 1, savepoint)) {
      assertThat(job.awaitCount(30)).isEqualTo(more);
      // The question for the end of the other one is given up after five seconds.
      assertThat(Duration.ofNanos(FETCHED_NANOS.get() - CREATED_NANOS.get()))
          .isLessThan(Duration.ofSeconds(4));
    } finally {
      broker.cluster().brokers().get(1).startup();
    }
  }

  private static KorpseSourceBuilder<String> source(String topic) {
    return KorpseSource.<String>builder()
        .setBootstrapServers(broker.bootstrapServers())
        .setTopics(topic)
        .setValueOnlyDeserializer(new SimpleStringSchema());
  }

  private static void move(String topic, int partition, int node) throws Exception {
    try (Admin admin = broker.admin()) {
      admin
          .alterPartitionReassignments(
              Map.of(
                  new TopicPartition(topic, partition),
                  Optional.of(new NewPartitionReassignment(List.of(node)))))
          .all()
          .get(60, TimeUnit.SECONDS);
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  leader(topic, partition) == node
                      && admin.listPartitionReassignments().reassignments().get().isEmpty());
    }
  }

  private static int leader(String topic, int partition) throws Exception {
    try (Admin admin = broker.admin()) {
      Node leader =
          admin
              .describeTopics(List.of(topic))
              .allTopicNames()
              .get(60, TimeUnit.SECONDS)
              .get(topic)
              .partitions()
              .get(partition)
              .leader();
      return leader == null || leader.isEmpty() ? -1 : leader.id();
    }
  }
}
