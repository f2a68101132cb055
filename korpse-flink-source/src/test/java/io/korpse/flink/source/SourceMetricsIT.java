package io.korpse.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korpse.flink.source.testing.RunningJob;
import io.korpse.flink.source.testing.Values;
import io.korpse.offsets.commit.CommitState;
import io.korpse.offsets.lag.LagStatus;
import io.korpse.testing.EmbeddedBroker;
import io.korpse.testing.Sender;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The metrics of a job by the names that reporters see. */
@Timeout(180)
final class SourceMetricsIT {

  private static final String READER = "KafkaSourceReader.";
  private static final InMemoryReporter REPORTER = InMemoryReporter.create();

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setConfiguration(REPORTER.addToConfiguration(new Configuration()))
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(2)
              .build());

  private static EmbeddedBroker broker;

  // The client writes dots as underscores in the names of its own metrics.
  private final String topic = "with.dots-" + UUID.randomUUID();

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  /** W49, W51: an autoscaler needs the lag of a topic in which nothing has happened yet. */
  @Test
  void the_lag_is_there_before_the_first_record() throws Exception {
    broker.createTopic(topic, 1);
    try (RunningJob<String> job = RunningJob.start(source().setTopics(topic).build(), 1, null)) {
      awaitValue(job, "pendingRecords", 0);
      awaitValue(job, partition(0) + "recordsLag", 0);
      awaitValue(job, partition(0) + "currentOffset", -1);
    }
  }

  /** W58, W59: names and values that dashboards and Flink's autoscaler lean on. */
  @Test
  void the_names_of_the_other_connector_are_kept() throws Exception {
    broker.createTopic(topic, 1);
    long bytes = "bad".length();
    for (String value : Values.write(broker, topic, 0, 0, 99)) {
      bytes += value.length();
    }
    try (Sender sender = new Sender(broker, Map.of())) {
      sender.send(topic, 0, 99L, "bad".getBytes(StandardCharsets.UTF_8));
    }
    try (RunningJob<String> job =
        RunningJob.start(
            source().setTopics(topic).setOnBadRecord(BadRecordPolicy.SKIP).build(), 1, null)) {
      job.awaitCount(99);

      awaitValue(job, "pendingRecords", 0);
      awaitValue(job, "numRecordsIn", 100);
      awaitValue(job, "numRecordsInErrors", 1);
      awaitValue(job, "numBytesIn", bytes);
      awaitValue(job, partition(0) + "currentOffset", 99);
      awaitValue(job, partition(0) + "committedOffset", 100);
      awaitValue(job, READER + "commitsFailed", 0);
      assertThat(values(job)).containsKeys(READER + "commitsSucceeded", "currentEmitEventTimeLag");
      assertThat(values(job).get(READER + "commitsSucceeded")).isPositive();
      assertThat(values(job)).containsEntry("deserializer.opened", 1L);
      assertThat(values(job)).containsKey(READER + "KafkaConsumer.records-consumed-total");
    }
  }

  /** W57: a fetcher that is the bottleneck shows. */
  @Test
  void the_metrics_of_its_own_have_their_names() throws Exception {
    broker.createTopic(topic, 1);
    Values.write(broker, topic, 0, 0, 100);
    try (RunningJob<String> job = RunningJob.start(source().setTopics(topic).build(), 1, null)) {
      job.awaitCount(100);

      Map<String, Long> values = values(job);
      for (String name :
          List.of(
              "recordsLag",
              "recordsLagToHighWatermark",
              "timeLag",
              "lagAge",
              "lagStatus",
              "committedLag",
              "recordsLost",
              "highWatermark")) {
        assertThat(values).containsKey(partition(0) + name);
      }
      for (String name :
          List.of(
              "commitLatency",
              "commitPendingAge",
              "commitState",
              "uncommittedAge",
              "lagStatus",
              "lagUnknownPartitions",
              "recordsSkipped",
              "tombstonesSkipped",
              "bufferedRecords",
              "bufferedBytes",
              "heldBytes",
              "heldBytesMax",
              "heldBytesPeak",
              "recordsRead",
              "bytesRead",
              "polls",
              "emptyPolls",
              "skippedPolls",
              "pausedSplits",
              "orderGivenUp",
              "orderSlack",
              "fetcherCpuTime",
              "pause.split-full.pausedTime",
              "pause.reader-full.pausedTime",
              "pause.alignment.pausedTime")) {
        assertThat(values).containsKey(READER + name);
      }
      assertThat(values.get(READER + "fetcherCpuTime")).isPositive();
      for (String positive : List.of("bytesRead", "polls", "heldBytesMax", "heldBytesPeak")) {
        assertThat(values.get(READER + positive)).as(positive).isPositive();
      }
      assertThat(values).containsKey(READER + "topic." + topic + ".recordsLag");
    }
  }

  @Test
  void the_metrics_of_its_own_tell_that_all_is_read_and_committed() throws Exception {
    broker.createTopic(topic, 1);
    Values.write(broker, topic, 0, 0, 100);
    try (RunningJob<String> job = RunningJob.start(source().setTopics(topic).build(), 1, null)) {
      job.awaitCount(100);

      awaitValue(job, partition(0) + "highWatermark", 100);
      awaitValue(job, partition(0) + "recordsRead", 100);
      for (String none :
          List.of(
              "recordsLag",
              "recordsLagToHighWatermark",
              "timeLag",
              "committedLag",
              "recordsLost",
              "bufferedRecords",
              "bufferedBytes",
              "paused",
              "pauseReasons")) {
        awaitValue(job, partition(0) + none, 0);
      }
      awaitValue(job, READER + "recordsRead", 100);
      awaitValue(job, READER + "partitions", 1);
      awaitValue(job, READER + "lagStatus", LagStatus.OK.code());
      awaitValue(job, READER + "commitState", CommitState.COMMITTING.code());
      for (String none :
          List.of(
              "lagUnknownPartitions",
              "uncommittedAge",
              "commitPendingAge",
              "recordsSkipped",
              "tombstonesSkipped",
              "bufferedRecords",
              "bufferedBytes",
              "pausedSplits",
              "orderGivenUp")) {
        awaitValue(job, READER + none, 0);
      }
    }
  }

  /** W52: partitions that left are not counted by those who count partitions by their metrics. */
  @Test
  void the_metrics_of_a_partition_leave_with_it() throws Exception {
    broker.createTopic(topic, 1);
    broker.createTopic(topic + "-2", 1);
    try (RunningJob<String> job =
        RunningJob.start(
            source()
                .setTopics(topic, topic + "-2")
                .setDiscoveryInterval(Duration.ofMillis(500))
                .setOnTopicRemoved(TopicRemovalPolicy.CONTINUE)
                .build(),
            1,
            null)) {
      String other = READER + "topic." + topic + "-2.partition.0.currentOffset";
      await()
          .atMost(EmbeddedBroker.patience())
          .until(
              () ->
                  values(job).containsKey(partition(0) + "currentOffset")
                      && values(job).containsKey(other));
      try (Admin admin = broker.admin()) {
        admin.deleteTopics(List.of(topic)).all().get(30, TimeUnit.SECONDS);
      }

      await()
          .atMost(EmbeddedBroker.patience())
          .until(() -> values(job).keySet().stream().noneMatch(n -> n.contains(topic + ".")));
      assertThat(values(job)).containsKey(other);
    }
  }

  private String partition(int number) {
    return READER + "topic." + topic + ".partition." + number + ".";
  }

  private static KorpseSourceBuilder<String> source() {
    return KorpseSource.<String>builder()
        .setBootstrapServers(broker.bootstrapServers())
        .setGroupId("metrics-" + UUID.randomUUID())
        .setValueOnlyDeserializer(
            new SimpleStringSchema() {
              @Override
              public void open(DeserializationSchema.InitializationContext context) {
                context.getMetricGroup().counter("opened").inc();
              }

              @Override
              public String deserialize(byte[] message) {
                String text = super.deserialize(message);
                if (text.equals("bad")) {
                  throw new IllegalArgumentException("bad");
                }
                return text;
              }
            });
  }

  private static void awaitValue(RunningJob<?> job, String name, long value) {
    await(name)
        .atMost(EmbeddedBroker.patience())
        .untilAsserted(() -> assertThat(values(job)).containsEntry(name, value));
  }

  /** Numbers of the source operator, by their names below the subtask. */
  private static Map<String, Long> values(RunningJob<?> job) {
    Map<String, Long> values = new TreeMap<>();
    for (Map.Entry<String, Metric> metric : REPORTER.getMetricsByIdentifiers(job.id()).entrySet()) {
      String scope = ".Source: source.0.";
      int name = metric.getKey().indexOf(scope);
      if (name >= 0) {
        Long value = number(metric.getValue());
        values.put(metric.getKey().substring(name + scope.length()), value);
      }
    }
    return values;
  }

  private static long number(Metric metric) {
    if (metric instanceof Counter counter) {
      return counter.getCount();
    }
    return metric instanceof Gauge<?> gauge && gauge.getValue() instanceof Number number
        ? number.longValue()
        : -1;
  }
}
