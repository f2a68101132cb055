package io.korpse.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korpse.flink.source.testing.Commits;
import io.korpse.flink.source.testing.LogCapture;
import io.korpse.flink.source.testing.RunningJob;
import io.korpse.flink.source.testing.Values;
import io.korpse.testing.BrokerDisks;
import io.korpse.testing.EmbeddedBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One of two disks of a broker fails, as when it is full: what is on it has no leader. */
@Timeout(240)
final class BrokerDiskIT {

  private static final String GROUP = "g";
  private static final TopicPartition ON_FIRST = new TopicPartition("t", 0);
  private static final TopicPartition ON_SECOND = new TopicPartition("t", 1);
  private static final TopicPartition COMMITS = new TopicPartition("__consumer_offsets", 0);
  private static final long UNKNOWN = -1;
  private static final int RETRYING = 2;
  private static final InMemoryReporter METRICS = InMemoryReporter.createWithRetainedMetrics();

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(1)
              .setConfiguration(METRICS.addToConfiguration(new Configuration()))
              .build());

  private EmbeddedBroker broker;
  private BrokerDisks disks;
  private Commits commits;

  @BeforeEach
  void startBroker() throws Exception {
    broker =
        EmbeddedBroker.startWithTwoDisks(
            Map.of(
                "offsets.topic.num.partitions", "1",
                "replica.high.watermark.checkpoint.interval.ms", "200"));
    disks = new BrokerDisks(broker);
    commits = new Commits(broker, GROUP);
    broker.createTopic("t", 2);
    disks.moveToFirst(ON_FIRST);
    disks.moveToSecond(ON_SECOND);
  }

  @AfterEach
  void stopBroker() {
    broker.close();
  }

  @Test
  void a_partition_on_it_is_told_while_the_other_is_read_and_nothing_is_lost() throws Exception {
    try (LogCapture log = LogCapture.start();
        RunningJob<String> job = RunningJob.start(source(), 1, null)) {
      List<String> all = new ArrayList<>(readTenOfEach(job));
      disks.moveToFirst(COMMITS);
      awaitMetric(job, "KafkaSourceReader.lagUnknownPartitions", 0);
      disks.failSecond(List.of(ON_SECOND));

      all.addAll(Values.write(broker, "t", 0, 10, 30));
      assertThat(job.awaitCount(40)).containsExactlyInAnyOrderElementsOf(all);
      commits.await(ON_FIRST, 30);
      awaitMetric(job, "KafkaSourceReader.lagUnknownPartitions", 1);
      awaitMetric(job, "t.partition.1.recordsLag$", UNKNOWN);
      assertThat(metrics(job, "t.partition.0.recordsLag$")).containsExactly(0L);
      assertThat(log.lines()).anyMatch(line -> line.contains("t-1") && line.contains("unknown"));

      disks.repairSecond();
      all.addAll(Values.write(broker, "t", 1, 10, 30));
      assertThat(job.awaitCount(60)).containsExactlyInAnyOrderElementsOf(all);
      awaitMetric(job, "KafkaSourceReader.lagUnknownPartitions", 0);
      commits.await(ON_SECOND, 30);
      assertThat(job.status()).isEqualTo(JobStatus.RUNNING);
    }
  }

  @Test
  void commits_that_are_on_it_are_told_as_failing_and_follow_when_it_is_back() throws Exception {
    try (RunningJob<String> job = RunningJob.start(source(), 1, null)) {
      List<String> all = new ArrayList<>(readTenOfEach(job));
      disks.moveToSecond(COMMITS);
      disks.failSecond(List.of(ON_SECOND, COMMITS));

      all.addAll(Values.write(broker, "t", 0, 10, 30));
      assertThat(job.awaitCount(40)).containsExactlyInAnyOrderElementsOf(all);
      awaitMetric(job, "commitState", RETRYING);
      await()
          .atMost(EmbeddedBroker.patience())
          .untilAsserted(
              () -> assertThat(metrics(job, "commitsFailed")).allMatch(failed -> failed >= 2));

      disks.repairSecond();
      commits.await(ON_FIRST, 30);
      awaitMetric(job, "consecutiveCommitFailures", 0);
      assertThat(job.status()).isEqualTo(JobStatus.RUNNING);
    }
  }

  private KorpseSource<String> source() {
    return KorpseSource.<String>builder()
        .setBootstrapServers(broker.bootstrapServers())
        .setTopics("t")
        .setGroupId(GROUP)
        .setDiscoveryInterval(Duration.ofMillis(500))
        .setProperty(KorpseSourceOptions.LAG_INTERVAL.key(), "200 ms")
        .setValueOnlyDeserializer(new SimpleStringSchema())
        .build();
  }

  private List<String> readTenOfEach(RunningJob<String> job) throws Exception {
    List<String> all =
        Stream.of(0, 1).flatMap(p -> Values.write(broker, "t", p, 0, 10).stream()).toList();
    assertThat(job.awaitCount(20)).containsExactlyInAnyOrderElementsOf(all);
    commits.await(ON_FIRST, 10);
    commits.await(ON_SECOND, 10);
    return all;
  }

  private static void awaitMetric(RunningJob<String> job, String name, long value) {
    await()
        .atMost(EmbeddedBroker.patience())
        .untilAsserted(() -> assertThat(metrics(job, name)).containsExactly(value));
  }

  private static List<Long> metrics(RunningJob<String> job, String name) {
    return METRICS.findMetrics(job.id(), name).values().stream().map(BrokerDiskIT::value).toList();
  }

  private static long value(Metric metric) {
    return metric instanceof Counter counter
        ? counter.getCount()
        : ((Number) ((Gauge<?>) metric).getValue()).longValue();
  }
}
