package io.korpse.flink.jobs.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.KorpseSource;
import io.korpse.flink.source.KorpseSourceOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.CloseableIterator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionReplica;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A broker in its own process has two disks, and the operating system takes no more on one. */
@Timeout(300)
final class FullDiskIT {

  private static final Duration A_WHILE = Duration.ofMinutes(2);
  private static final String GROUP = "g";
  private static final TopicPartition ELSEWHERE = new TopicPartition("t", 0);
  private static final TopicPartition ON_FULL = new TopicPartition("t", 1);

  /** The broker's index of its metadata has 10 MiB from the start. */
  private static final int LIMIT_KIB = 12 * 1024;

  private static final String PADDING = " ".repeat(900_000);
  private static final InMemoryReporter METRICS = InMemoryReporter.createWithRetainedMetrics();

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(1)
              .setConfiguration(METRICS.addToConfiguration(new Configuration()))
              .build());

  private Workspace workspace;
  private LocalKafka kafka;
  private LocalBroker broker;
  private Path first;
  private Path second;

  @BeforeEach
  void startBroker() throws Exception {
    workspace = Workspace.create("korpse-full-disk-");
    first = workspace.subdirectory("first");
    second = workspace.subdirectory("second");
    kafka =
        LocalKafka.start(
            workspace,
            Classpath.of(Path.of("target")),
            1,
            Map.of("log.dirs", first + "," + second, "offsets.topic.num.partitions", "1"));
    kafka.awaitReady(A_WHILE);
    broker = kafka.broker(1);
    try (Admin admin = kafka.admin()) {
      Topics.create(admin, new NewTopic("t", 2, (short) 1));
    }
    move(ELSEWHERE, first);
    move(ON_FULL, second);
  }

  @AfterEach
  void stopBroker() {
    workspace.close();
  }

  @Test
  void what_is_on_it_is_told_the_rest_is_read_and_nothing_is_lost() throws Exception {
    DataStream<String> stream = stream();
    CloseableIterator<String> values = stream.collectAsync();
    JobClient job = stream.getExecutionEnvironment().executeAsync();
    try {
      write(ELSEWHERE, 0, 10);
      write(ON_FULL, 0, 10);
      List<String> read = new ArrayList<>();
      readUntil(read, names(ELSEWHERE, 0, 10), values);
      readUntil(read, names(ON_FULL, 0, 10), values);
      awaitCommitted(Map.of(ELSEWHERE, 10L, ON_FULL, 10L));
      move(new TopicPartition("__consumer_offsets", 0), first);

      restartWithLimit();
      int full = fill(10);
      assertThat(Files.readString(broker.process().log(), UTF_8)).contains("File too large");
      write(ELSEWHERE, 10, 30);
      // Of those on the full disk, the last may come only when it can be read again.
      readUntil(read, names(ELSEWHERE, 10, 30), values);
      awaitCommitted(Map.of(ELSEWHERE, 30L));
      awaitGauge(job, "KafkaSourceReader.lagUnknownPartitions", 1);
      awaitGauge(job, "t.partition.1.recordsLag$", -1);
      awaitGauge(job, "t.partition.0.recordsLag$", 0);

      restart();
      write(ON_FULL, full, full + 10);
      readUntil(read, names(ON_FULL, full, full + 10), values);
      List<String> written = new ArrayList<>(names(ELSEWHERE, 0, 30));
      written.addAll(names(ON_FULL, 0, full + 10));
      assertThat(read).containsExactlyInAnyOrderElementsOf(written);
      awaitCommitted(Map.of(ELSEWHERE, 30L, ON_FULL, full + 10L));
      awaitGauge(job, "KafkaSourceReader.lagUnknownPartitions", 0);
      assertThat(job.getJobStatus().get()).isEqualTo(JobStatus.RUNNING);
    } finally {
      values.close(); // this cancels the job
    }
  }

  private void restartWithLimit() {
    broker.process().terminate();
    broker.process().awaitEnd();
    broker.startWithFileLimit(LIMIT_KIB);
    kafka.awaitReady(A_WHILE);
  }

  /** As one must when there is room again. */
  private void restart() {
    broker.process().kill();
    broker.process().awaitEnd();
    broker.start();
    kafka.awaitReady(A_WHILE);
  }

  private void move(TopicPartition partition, Path disk) throws Exception {
    TopicPartitionReplica replica =
        new TopicPartitionReplica(partition.topic(), partition.partition(), broker.nodeId());
    try (Admin admin = kafka.admin()) {
      admin.alterReplicaLogDirs(Map.of(replica, disk.toString())).all().get();
      Await.until(
          partition + " in " + disk,
          A_WHILE,
          () ->
              admin
                  .describeReplicaLogDirs(List.of(replica))
                  .all()
                  .get()
                  .get(replica)
                  .getCurrentReplicaLogDir()
                  .equals(disk.toString()));
    }
  }

  private void write(TopicPartition to, int from, int until) throws Exception {
    try (KafkaProducer<String, String> producer = producer()) {
      for (String name : names(to, from, until)) {
        producer
            .send(new ProducerRecord<>(to.topic(), to.partition(), null, name))
            .get(60, TimeUnit.SECONDS);
      }
    }
  }

  /** Writes large values until none is taken any more; returns the number of the first such. */
  private int fill(int from) throws Exception {
    try (KafkaProducer<String, String> producer = producer()) {
      for (int number = from; number < from + 20; number++) {
        String value = names(ON_FULL, number, number + 1).get(0) + PADDING;
        try {
          producer
              .send(new ProducerRecord<>(ON_FULL.topic(), ON_FULL.partition(), null, value))
              .get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
          return number;
        }
      }
      throw new AssertionError("The disk did not get full");
    }
  }

  private KafkaProducer<String, String> producer() {
    Map<String, Object> config = new HashMap<>();
    config.put("bootstrap.servers", kafka.bootstrapServers());
    config.put("request.timeout.ms", 4_000);
    config.put("delivery.timeout.ms", 5_000);
    config.put("linger.ms", 0);
    return new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
  }

  private static List<String> names(TopicPartition partition, int from, int until) {
    List<String> names = new ArrayList<>();
    for (int number = from; number < until; number++) {
      names.add(partition.partition() + ":" + number);
    }
    return names;
  }

  private static void readUntil(
      List<String> read, List<String> wanted, CloseableIterator<String> values) {
    while (!read.containsAll(wanted) && values.hasNext()) {
      read.add(values.next());
    }
  }

  private DataStream<String> stream() {
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
    environment.setParallelism(1);
    environment.enableCheckpointing(200);
    KorpseSource<String> source =
        KorpseSource.<String>builder()
            .setBootstrapServers(kafka.bootstrapServers())
            .setTopics("t")
            .setGroupId(GROUP)
            .setDiscoveryInterval(Duration.ofMillis(500))
            .setProperty(KorpseSourceOptions.LAG_INTERVAL.key(), "200 ms")
            .setValueOnlyDeserializer(new SimpleStringSchema())
            .build();
    return environment
        .fromSource(source, WatermarkStrategy.noWatermarks(), "source")
        .map(String::strip)
        .returns(Types.STRING);
  }

  private void awaitCommitted(Map<TopicPartition, Long> wanted) {
    try (Admin admin = kafka.admin()) {
      Await.until(
          "the commit of " + wanted,
          A_WHILE,
          () -> {
            Map<TopicPartition, OffsetAndMetadata> found =
                admin.listConsumerGroupOffsets(GROUP).partitionsToOffsetAndMetadata().get();
            return wanted.entrySet().stream()
                .allMatch(
                    each -> {
                      OffsetAndMetadata position = found.get(each.getKey());
                      return position != null && position.offset() == each.getValue();
                    });
          });
    }
  }

  private static void awaitGauge(JobClient job, String name, long value) {
    Await.until(
        name + " to be " + value,
        A_WHILE,
        () ->
            METRICS.findMetrics(job.getJobID(), name).values().stream()
                .anyMatch(
                    metric ->
                        metric instanceof Gauge<?> gauge
                            && ((Number) gauge.getValue()).longValue() == value));
  }
}
