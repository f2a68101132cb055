package io.korpse.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.korpse.flink.source.testing.Commits;
import io.korpse.flink.source.testing.RunningJob;
import io.korpse.flink.source.testing.Values;
import io.korpse.offsets.DataLossPolicy;
import io.korpse.testing.EmbeddedBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.ExceptionUtils;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Faults that no source can make good: each is told with numbers and a remedy, or counted. */
@Timeout(240)
final class ToldFaultsIT {

  private static final int BLOCKED_BY_MEMBERS = 3;
  private static final InMemoryReporter METRICS = InMemoryReporter.createWithRetainedMetrics();

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(2)
              .setConfiguration(METRICS.addToConfiguration(new Configuration()))
              .build());

  private static EmbeddedBroker broker;

  @TempDir private Path savepoints;

  private final String topic = "topic-" + UUID.randomUUID();
  private final String group = "group-" + UUID.randomUUID();
  private final TopicPartition partition = new TopicPartition(topic, 0);

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @BeforeEach
  void createTopic() {
    broker.createTopic(topic, 1);
  }

  @Test
  void retention_that_overtook_a_stopped_job_fails_it_with_the_numbers_and_the_remedy()
      throws Exception {
    String savepoint = stopAfterTen();
    Values.write(broker, topic, 0, 10, 30);
    removeBefore(25);

    try (RunningJob<String> job = RunningJob.start(source().build(), 1, savepoint)) {
      assertFailsWith(
          job,
          "Data loss on " + partition,
          "offset 10",
          "25 to 30",
          "removed 15 records",
          "onDataLoss");
    }
  }

  @Test
  void retention_that_overtook_a_stopped_job_is_passed_over_by_policy_and_counted()
      throws Exception {
    String savepoint = stopAfterTen();
    List<String> late = Values.write(broker, topic, 0, 10, 30);
    removeBefore(25);

    try (RunningJob<String> job =
        RunningJob.start(source().setOnDataLoss(DataLossPolicy.EARLIEST).build(), 1, savepoint)) {
      assertThat(job.awaitCount(5)).isEqualTo(late.subList(15, 20));
      awaitGauge(job, "partition.0.recordsLost", 15L);
    }
  }

  @Test
  void a_topic_that_was_made_anew_while_the_job_was_stopped_is_named() throws Exception {
    String savepoint = stopAfterTen();
    try (Admin admin = broker.admin()) {
      admin.deleteTopics(List.of(topic)).all().get(30, TimeUnit.SECONDS);
      await()
          .atMost(EmbeddedBroker.patience())
          .until(() -> !admin.listTopics().names().get().contains(topic));
    }
    broker.createTopic(topic, 1);
    Values.write(broker, topic, 0, 0, 20);

    try (RunningJob<String> job = RunningJob.start(source().build(), 1, savepoint)) {
      assertFailsWith(job, "deleted and created again", topic + "-0", "korpse.on-topic-removed");
    }
  }

  @Test
  void a_committed_offset_beyond_the_log_end_fails_the_start_with_the_numbers() throws Exception {
    Values.write(broker, topic, 0, 0, 10);
    try (Admin admin = broker.admin()) {
      admin
          .alterConsumerGroupOffsets(group, Map.of(partition, new OffsetAndMetadata(100)))
          .all()
          .get(30, TimeUnit.SECONDS);
    }

    try (RunningJob<String> job =
        RunningJob.start(
            source()
                .setStartingOffsets(
                    OffsetsInitializer.committedOffsets(OffsetsInitializer.earliest()))
                .build(),
            1,
            null)) {
      assertFailsWith(job, partition.toString(), "100", "10");
    }
  }

  @Test
  void a_group_that_a_subscriber_took_over_is_told_and_does_not_hold_up_reading() throws Exception {
    List<String> all = new ArrayList<>(Values.write(broker, topic, 0, 0, 10));
    try (RunningJob<String> job = RunningJob.start(source().build(), 1, null)) {
      job.awaitCount(10);
      Commits commits = new Commits(broker, group);
      commits.await(partition, 10);
      try (KafkaConsumer<byte[], byte[]> intruder = intruder()) {
        intruder.subscribe(List.of(topic));
        await()
            .atMost(EmbeddedBroker.patience())
            .until(
                () -> {
                  intruder.poll(Duration.ofMillis(50));
                  return !intruder.assignment().isEmpty();
                });
        all.addAll(Values.write(broker, topic, 0, 10, 30));
        assertThat(job.awaitCount(30)).isEqualTo(all);
        awaitGauge(job, "commitState", BLOCKED_BY_MEMBERS);
      }
      commits.await(partition, 30);
    }
  }

  private KorpseSourceBuilder<String> source() {
    return KorpseSource.<String>builder()
        .setBootstrapServers(broker.bootstrapServers())
        .setTopics(topic)
        .setGroupId(group)
        .setDiscoveryInterval(Duration.ofMillis(500))
        .setValueOnlyDeserializer(new SimpleStringSchema());
  }

  private String stopAfterTen() throws Exception {
    Values.write(broker, topic, 0, 0, 10);
    try (RunningJob<String> job = RunningJob.start(source().build(), 1, null)) {
      job.awaitCount(10);
      return job.stop(savepoints);
    }
  }

  private void removeBefore(long offset) throws Exception {
    try (Admin admin = broker.admin()) {
      admin
          .deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(offset)))
          .all()
          .get(30, TimeUnit.SECONDS);
    }
  }

  private KafkaConsumer<byte[], byte[]> intruder() {
    return new KafkaConsumer<>(
        Map.of(
            "bootstrap.servers",
            broker.bootstrapServers(),
            "group.id",
            group,
            "enable.auto.commit",
            false),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer());
  }

  private static void awaitGauge(RunningJob<String> job, String name, Object value) {
    await()
        .atMost(EmbeddedBroker.patience())
        .untilAsserted(
            () ->
                assertThat(METRICS.findMetrics(job.id(), name).values())
                    .anyMatch(metric -> value.equals(((Gauge<?>) metric).getValue())));
  }

  private static void assertFailsWith(RunningJob<String> job, String... parts) {
    assertThatThrownBy(job::awaitEnd)
        .satisfies(error -> assertThat(ExceptionUtils.stringifyException(error)).contains(parts));
  }
}
