package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.korpse.testing.EmbeddedBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Plays the same scripts on the simulated consumer and on a real one with a real broker: both must
 * return the same records in the same polls, keep the same data while paused and stand at the same
 * positions.
 *
 * <p>The real broker either holds a fetch for longer than a script takes or answers it before the
 * next step, so that no result depends on how fast the machine is.
 */
@Timeout(300)
class SimConsumerDifferentialIT {

  private static final int PARTITIONS = 5;
  private static final int STEPS = 45;
  private static final Duration NOTHING_COMES = Duration.ofMillis(150);

  /** Near the time of transaction markers, or the broker rolls a segment, where a read ends. */
  private static final long TIMESTAMP = System.currentTimeMillis();

  /** Longer than a short fetch.max.wait.ms and than what a request takes here. */
  private static final Duration SETTLE = Duration.ofMillis(60);

  private static EmbeddedBroker broker;

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  static Stream<Case> cases() {
    SimConsumerConfig plain = SimConsumerConfig.defaults();
    SimConsumerConfig small = plain.withMaxPollRecords(5).withFetchBytes(6_000, 3_000);
    return Stream.of(
        new Case(1, small.withFetchMaxWaitMs(60_000)),
        new Case(2, small.withFetchMaxWaitMs(20)),
        new Case(3, small.withFetchMaxWaitMs(60_000).withReadCommitted()),
        new Case(4, small.withFetchMaxWaitMs(20).withReadCommitted()),
        new Case(5, plain.withMaxPollRecords(7).withFetchMaxWaitMs(60_000)),
        new Case(6, plain.withMaxPollRecords(7).withFetchMaxWaitMs(20)),
        new Case(7, small.withMaxPollRecords(1).withFetchMaxWaitMs(20)),
        new Case(8, small.withFetchBytes(2_000, 100_000).withFetchMaxWaitMs(60_000)));
  }

  record Case(long seed, SimConsumerConfig config) {}

  @ParameterizedTest
  @MethodSource("cases")
  void the_simulated_consumer_does_what_the_real_one_does(Case scenario) {
    String topic = "script-" + scenario.seed();
    broker.createTopic(topic, PARTITIONS);
    try (Real real = new Real(topic, scenario.config())) {
      Simulated simulated = Simulated.create(topic, scenario.config());
      List<String> done = new ArrayList<>();
      long[] ends = new long[PARTITIONS];
      for (ConsumerScript.Step step : ConsumerScript.random(scenario.seed(), PARTITIONS, STEPS)) {
        done.add(step.toString());
        play(step, simulated, real, ends, done);
        assertThat(simulated.state()).as("state after %s", done).isEqualTo(real.state());
      }
      assertThat(simulated.lags()).as("lags").isEqualTo(real.lags());
    }
  }

  @Test
  void both_name_an_offset_out_of_range_until_it_is_sought() throws Exception {
    String topic = "out-of-range";
    broker.createTopic(topic, 2);
    TopicPartition id = new TopicPartition(topic, 0);
    try (Real real = new Real(topic, SimConsumerConfig.defaults())) {
      Simulated simulated = Simulated.create(topic, SimConsumerConfig.defaults());
      for (ScriptTarget target : List.of(simulated, real)) {
        target.append(0, 4, 10);
        target.append(0, 4, 10);
        target.deleteBefore(0, 4);
        target.assign(Set.of(0, 1));
        for (int i = 0; i < 2; i++) {
          assertThatExceptionOfType(OffsetOutOfRangeException.class)
              .isThrownBy(() -> target.poll(EmbeddedBroker.patience()))
              .satisfies(e -> assertThat(e.offsetOutOfRangePartitions()).containsOnlyKeys(id));
        }
        target.seek(0, 4);
        assertThat(target.poll(EmbeddedBroker.patience()).runs()).containsExactly("0:[4, 5, 6, 7]");
      }
    }
  }

  @Test
  void both_lose_a_partition_to_a_leader_epoch_that_never_was() {
    String topic = "epoch";
    broker.createTopic(topic, 1);
    try (Real real = new Real(topic, SimConsumerConfig.defaults())) {
      Simulated simulated = Simulated.create(topic, SimConsumerConfig.defaults());
      for (ScriptTarget target : List.of(simulated, real)) {
        target.append(0, 2, 10);
        target.assign(Set.of(0));
        assertThat(target.poll(EmbeddedBroker.patience()).runs()).containsExactly("0:[0, 1]");
        target.seek(0, 1, 50);
        assertThatExceptionOfType(LogTruncationException.class)
            .isThrownBy(() -> target.poll(EmbeddedBroker.patience()));
        target.seek(0, 0);
        assertThat(target.poll(Duration.ofSeconds(2)).isEmpty()).isTrue();
        target.assign(Set.of());
        target.assign(Set.of(0));
        assertThat(target.poll(Duration.ofSeconds(2)).isEmpty()).isTrue();
      }
    }
  }

  private static void play(
      ConsumerScript.Step step, Simulated simulated, Real real, long[] ends, List<String> done) {
    List<ScriptTarget> both = List.of(simulated, real);
    if (step instanceof ConsumerScript.Append append) {
      both.forEach(ScriptTarget::settle);
      both.forEach(target -> target.append(append.partition(), append.records(), append.bytes()));
      ends[append.partition()] += append.records();
    } else if (step instanceof ConsumerScript.AppendTransaction append) {
      both.forEach(ScriptTarget::settle);
      both.forEach(
          target ->
              target.appendTransaction(append.partition(), append.records(), append.commit()));
      ends[append.partition()] += append.records() + 1;
    } else if (step instanceof ConsumerScript.Poll poll) {
      for (int i = 0; i < poll.times(); i++) {
        both.forEach(ScriptTarget::settle);
        ScriptTarget.Polled expected = simulated.poll(NOTHING_COMES);
        Duration timeout = expected.isEmpty() ? NOTHING_COMES : EmbeddedBroker.patience();
        assertThat(real.poll(timeout)).as("poll %s of %s", i, done).isEqualTo(expected);
        if (expected.isEmpty()) {
          break;
        }
      }
    } else if (step instanceof ConsumerScript.Pause pause) {
      both.forEach(target -> target.pause(pause.partitions()));
    } else if (step instanceof ConsumerScript.Resume resume) {
      both.forEach(target -> target.resume(resume.partitions()));
    } else if (step instanceof ConsumerScript.Seek seek) {
      long offset = ends[seek.partition()] * seek.percent() / 100;
      both.forEach(target -> target.seek(seek.partition(), offset));
    } else if (step instanceof ConsumerScript.Assign assign) {
      both.forEach(target -> target.assign(assign.partitions()));
    }
  }

  private static final class Simulated extends ScriptTarget {

    private final SimCluster cluster;
    private final String topic;

    private Simulated(String topic, SimCluster cluster, SimConsumer consumer) {
      super(topic, consumer);
      this.topic = topic;
      this.cluster = cluster;
    }

    static Simulated create(String topic, SimConsumerConfig config) {
      SimCluster cluster = new SimCluster(new SimScheduler());
      for (int i = 0; i < PARTITIONS; i++) {
        cluster.create(new TopicPartition(topic, i), 0);
      }
      return new Simulated(topic, cluster, new SimConsumer(cluster, config));
    }

    @Override
    void append(int partition, int records, int bytes) {
      cluster.append(new TopicPartition(topic, partition), values(records, bytes));
    }

    @Override
    void deleteBefore(int partition, long offset) {
      cluster.deleteBefore(new TopicPartition(topic, partition), offset);
    }

    @Override
    void appendTransaction(int partition, int records, boolean commit) {
      cluster.appendTransaction(new TopicPartition(topic, partition), values(records, 50), commit);
    }

    private static List<SimRecord> values(int records, int bytes) {
      List<SimRecord> values = new ArrayList<>();
      for (int i = 0; i < records; i++) {
        values.add(SimRecord.of(TIMESTAMP, bytes));
      }
      return values;
    }

    @Override
    void settle() {
      cluster.scheduler().advance(SETTLE);
    }
  }

  private static final class Real extends ScriptTarget implements AutoCloseable {

    private final String topic;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final KafkaProducer<byte[], byte[]> producer;
    private final KafkaProducer<byte[], byte[]> transactions;
    private final Admin admin = broker.admin();

    Real(String topic, SimConsumerConfig config) {
      this(topic, consumer(config));
    }

    private Real(String topic, KafkaConsumer<byte[], byte[]> consumer) {
      super(topic, consumer);
      this.topic = topic;
      this.consumer = consumer;
      producer = broker.producer(oneBatch());
      Map<String, Object> transactional = oneBatch();
      transactional.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, topic);
      transactions = broker.producer(transactional);
      transactions.initTransactions();
    }

    /** All that is sent before a flush is one batch. */
    private static Map<String, Object> oneBatch() {
      return new HashMap<>(
          Map.of(
              ProducerConfig.LINGER_MS_CONFIG, 60_000, ProducerConfig.BATCH_SIZE_CONFIG, 1 << 20));
    }

    private static KafkaConsumer<byte[], byte[]> consumer(SimConsumerConfig config) {
      Map<String, Object> settings =
          Map.of(
              ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
              broker.bootstrapServers(),
              ConsumerConfig.GROUP_PROTOCOL_CONFIG,
              "classic",
              ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
              "none",
              ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
              false,
              ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
              config.maxPollRecords(),
              ConsumerConfig.FETCH_MAX_BYTES_CONFIG,
              config.fetchMaxBytes(),
              ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
              config.maxPartitionFetchBytes(),
              ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
              config.fetchMaxWaitMs(),
              ConsumerConfig.ISOLATION_LEVEL_CONFIG,
              config.readCommitted() ? "read_committed" : "read_uncommitted",
              ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG,
              120_000);
      return new KafkaConsumer<>(
          settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @Override
    void append(int partition, int records, int bytes) {
      long before = end(partition);
      send(producer, partition, records, bytes);
      awaitEnd(partition, before + records);
    }

    @Override
    void deleteBefore(int partition, long offset) throws Exception {
      TopicPartition id = new TopicPartition(topic, partition);
      admin.deleteRecords(Map.of(id, RecordsToDelete.beforeOffset(offset))).all().get();
    }

    @Override
    void appendTransaction(int partition, int records, boolean commit) {
      long before = end(partition);
      transactions.beginTransaction();
      send(transactions, partition, records, 50);
      if (commit) {
        transactions.commitTransaction();
      } else {
        transactions.abortTransaction();
      }
      awaitEnd(partition, before + records + 1);
    }

    private void send(KafkaProducer<byte[], byte[]> sender, int partition, int records, int bytes) {
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      for (int i = 0; i < records; i++) {
        sent.add(
            sender.send(new ProducerRecord<>(topic, partition, TIMESTAMP, null, new byte[bytes])));
      }
      sender.flush();
      assertThat(sent).allSatisfy(future -> assertThat(future.get().hasOffset()).isTrue());
    }

    private void awaitEnd(int partition, long end) {
      await()
          .atMost(EmbeddedBroker.patience())
          .pollInterval(Duration.ofMillis(5))
          .until(() -> end(partition) == end);
    }

    private long end(int partition) {
      TopicPartition id = new TopicPartition(topic, partition);
      try {
        ListOffsetsResultInfo end =
            admin.listOffsets(Map.of(id, OffsetSpec.latest())).partitionResult(id).get();
        return end.offset();
      } catch (Exception e) {
        throw new IllegalStateException("No end of " + id, e);
      }
    }

    @Override
    void settle() {
      await().pollDelay(SETTLE).until(() -> true);
    }

    @Override
    public void close() {
      producer.close(Duration.ofSeconds(5));
      transactions.close(Duration.ofSeconds(5));
      consumer.close(CloseOptions.timeout(Duration.ofSeconds(1)));
      admin.close(Duration.ofSeconds(5));
    }
  }
}
