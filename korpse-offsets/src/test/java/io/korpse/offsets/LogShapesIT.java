package io.korpse.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korpse.offsets.Resolution.Resolved;
import io.korpse.offsets.Resolution.Unresolved;
import io.korpse.offsets.lag.LagStatus;
import io.korpse.offsets.lag.LagTracker;
import io.korpse.offsets.lag.LagValue;
import io.korpse.offsets.lag.PartitionLag;
import io.korpse.testing.EmbeddedBroker;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Transactions, compaction, retention and deletion, as a real log shows them. */
@Timeout(180)
final class LogShapesIT {

  private static EmbeddedBroker broker;
  private static Admin admin;

  private final String group = "g-" + UUID.randomUUID();
  private final String topic = "t-" + UUID.randomUUID();
  private final TopicPartition partition = new TopicPartition(topic, 0);

  @BeforeAll
  static void startBroker() {
    Awaitility.setDefaultTimeout(EmbeddedBroker.patience());
    broker =
        EmbeddedBroker.start(
            1,
            Map.of(
                "log.cleaner.backoff.ms",
                "200",
                "log.cleaner.min.cleanable.ratio",
                "0.01",
                "log.initial.task.delay.ms",
                "100",
                "log.retention.check.interval.ms",
                "200"));
    admin = broker.admin();
  }

  @AfterAll
  static void stopBroker() {
    admin.close();
    broker.close();
  }

  @BeforeEach
  void createTopic() {
    broker.createTopic(topic, 1);
  }

  @Test
  void an_open_transaction_holds_the_readable_end_back() throws Exception {
    broker.produce(partition, 1_000, 5);
    try (KafkaProducer<byte[], byte[]> producer = transactional()) {
      producer.beginTransaction();
      send(producer, 3);

      assertThat(start(OffsetRule.latest(), IsolationLevel.READ_COMMITTED)).isEqualTo(5);
      assertThat(start(OffsetRule.latest(), IsolationLevel.READ_UNCOMMITTED)).isEqualTo(8);
      producer.commitTransaction();
    }
    await()
        .untilAsserted(
            () ->
                assertThat(start(OffsetRule.latest(), IsolationLevel.READ_COMMITTED)).isEqualTo(9));
  }

  @Test
  void the_lag_of_a_drained_transactional_topic_is_zero() throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = transactional()) {
      for (int i = 0; i < 3; i++) {
        producer.beginTransaction();
        send(producer, 4);
        if (i == 1) {
          producer.abortTransaction();
        } else {
          producer.commitTransaction();
        }
      }
      producer.beginTransaction();
      send(producer, 2);
      producer.abortTransaction();
    }
    AtomicLong position = new AtomicLong(0);
    try (LagTracker tracker = tracker(IsolationLevel.READ_COMMITTED);
        KafkaConsumer<byte[], byte[]> consumer = committedReader()) {
      PartitionLag lag = tracker.track(partition, position::get);
      consumer.assign(List.of(partition));
      consumer.seek(partition, 0);
      int records = 0;
      while (position.get() < 18) {
        ConsumerRecords<byte[], byte[]> batch = consumer.poll(Duration.ofMillis(200));
        records += batch.count();
        if (batch.nextOffsets().containsKey(partition)) {
          position.set(batch.nextOffsets().get(partition).offset());
        }
      }

      assertThat(records).isEqualTo(8);
      await().untilAsserted(() -> assertThat(lag.recordsLag()).isEqualTo(LagValue.of(0)));
      await().untilAsserted(() -> assertThat(lag.status()).isEqualTo(LagStatus.OK));
    }
  }

  @Test
  void a_transaction_that_hangs_shows_behind_a_reader_that_has_read_all_before_it()
      throws Exception {
    broker.produce(partition, 1_000, 10);
    try (KafkaProducer<byte[], byte[]> producer = transactional();
        LagTracker tracker = tracker(IsolationLevel.READ_COMMITTED)) {
      PartitionLag lag = tracker.track(partition, () -> 10);
      await()
          .untilAsserted(
              () -> assertThat(lag.recordsLagToHighWatermark()).isEqualTo(LagValue.of(0)));
      producer.beginTransaction();
      send(producer, 40);

      await()
          .untilAsserted(
              () -> assertThat(lag.recordsLagToHighWatermark()).isEqualTo(LagValue.of(40)));
      assertThat(lag.recordsLag()).isEqualTo(LagValue.of(0));
      producer.abortTransaction();
    }
  }

  @Test
  void a_commit_under_an_open_transaction_is_not_read_as_none() throws Exception {
    broker.produce(partition, 1_000, 5);
    admin
        .alterConsumerGroupOffsets(group, Map.of(partition, new OffsetAndMetadata(2)))
        .all()
        .get(30, TimeUnit.SECONDS);
    try (KafkaProducer<byte[], byte[]> producer = transactional()) {
      producer.beginTransaction();
      producer.sendOffsetsToTransaction(
          Map.of(partition, new OffsetAndMetadata(4)), groupMetadata());
      producer.flush();
      OffsetRule rule = OffsetRule.committed(OffsetRule.earliest());
      Unresolved open =
          (Unresolved)
              resolver(IsolationLevel.READ_COMMITTED, DataLossPolicy.FAIL, Duration.ofSeconds(1))
                  .resolve(List.of(partition), rule)
                  .get(partition);
      assertThat(open.retriable()).isTrue();

      producer.commitTransaction();
      await()
          .untilAsserted(() -> assertThat(start(rule, IsolationLevel.READ_COMMITTED)).isEqualTo(4));
    }
  }

  @Test
  void retention_that_overtakes_the_group_is_data_loss_and_is_counted_apart_from_lag()
      throws Exception {
    broker.produce(partition, 1_000, 10);
    admin
        .alterConsumerGroupOffsets(group, Map.of(partition, new OffsetAndMetadata(2)))
        .all()
        .get(30, TimeUnit.SECONDS);
    try (LagTracker tracker = tracker(IsolationLevel.READ_UNCOMMITTED)) {
      PartitionLag lag = tracker.track(partition, () -> 2);
      await().untilAsserted(() -> assertThat(lag.recordsLag()).isEqualTo(LagValue.of(8)));
      admin
          .deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(6)))
          .all()
          .get(30, TimeUnit.SECONDS);

      await().untilAsserted(() -> assertThat(lag.recordsLost()).isEqualTo(4));
      assertThat(lag.recordsLag()).isEqualTo(LagValue.of(4));
    }
    Duration timeout = Duration.ofSeconds(20);
    OffsetRule rule = OffsetRule.committed();
    assertThat(
            ((Unresolved)
                    resolver(IsolationLevel.READ_UNCOMMITTED, DataLossPolicy.FAIL, timeout)
                        .resolve(List.of(partition), rule)
                        .get(partition))
                .reason())
        .contains(partition.toString(), "log start 6", "4 records");
    assertThat(
            ((Resolved)
                    resolver(IsolationLevel.READ_UNCOMMITTED, DataLossPolicy.EARLIEST, timeout)
                        .resolve(List.of(partition), rule)
                        .get(partition))
                .position()
                .offset())
        .isEqualTo(6);
  }

  @Test
  void a_topic_that_was_created_again_does_not_start_at_the_old_commit() throws Exception {
    broker.produce(partition, 1_000, 10);
    admin.deleteTopics(List.of(topic)).all().get(30, TimeUnit.SECONDS);
    await().until(() -> !admin.listTopics().names().get().contains(topic));
    createTopic();
    broker.produce(partition, 1_000, 3);
    admin
        .alterConsumerGroupOffsets(group, Map.of(partition, new OffsetAndMetadata(10)))
        .all()
        .get(30, TimeUnit.SECONDS);

    assertThat(
            ((Unresolved)
                    resolver(
                            IsolationLevel.READ_UNCOMMITTED,
                            DataLossPolicy.FAIL,
                            Duration.ofSeconds(20))
                        .resolve(List.of(partition), OffsetRule.committed())
                        .get(partition))
                .reason())
        .contains("10", "beyond the log end 3");
  }

  @Test
  void gaps_of_a_compacted_topic_are_passed_and_its_lag_ends_at_zero() throws Exception {
    String compacted = "c-" + UUID.randomUUID();
    TopicPartition log = new TopicPartition(compacted, 0);
    broker.createTopic(
        compacted,
        1,
        Map.of(
            "cleanup.policy", "compact",
            "segment.ms", "200",
            "min.cleanable.dirty.ratio", "0.01",
            "max.compaction.lag.ms", "200",
            "min.compaction.lag.ms", "0"));
    try (KafkaProducer<byte[], byte[]> producer = broker.producer(Map.of())) {
      await()
          .atMost(Duration.ofSeconds(90))
          .pollInterval(Duration.ofMillis(300))
          .until(
              () -> {
                for (int i = 0; i < 20; i++) {
                  producer
                      .send(new ProducerRecord<>(compacted, 0, new byte[] {1}, new byte[8]))
                      .get(30, TimeUnit.SECONDS);
                }
                return readable(log) < end(log);
              });
    }
    AtomicLong position = new AtomicLong(0);
    try (LagTracker tracker = tracker(IsolationLevel.READ_UNCOMMITTED);
        KafkaConsumer<byte[], byte[]> consumer = committedReader()) {
      PartitionLag lag = tracker.track(log, position::get);
      consumer.assign(List.of(log));
      consumer.seek(log, 0);
      while (position.get() < end(log)) {
        ConsumerRecords<byte[], byte[]> batch = consumer.poll(Duration.ofMillis(200));
        if (batch.nextOffsets().containsKey(log)) {
          position.set(batch.nextOffsets().get(log).offset());
        }
      }
      await().untilAsserted(() -> assertThat(lag.recordsLag()).isEqualTo(LagValue.of(0)));
    }
  }

  @Test
  void a_topic_that_does_not_exist_is_named() {
    TopicPartition nowhere = new TopicPartition("nowhere", 0);
    Unresolved unresolved =
        (Unresolved)
            resolver(IsolationLevel.READ_UNCOMMITTED, DataLossPolicy.FAIL, Duration.ofSeconds(1))
                .resolve(List.of(nowhere), OffsetRule.earliest())
                .get(nowhere);

    assertThat(unresolved.reason()).contains("nowhere-0", "topic nowhere does not exist");
    assertThat(unresolved.retriable()).isTrue();
  }

  @Test
  void a_duration_on_a_topic_with_only_old_records_is_the_log_end() {
    broker.produce(partition, 1_000, 10);

    assertThat(start(OffsetRule.before(Duration.ofHours(1)), IsolationLevel.READ_UNCOMMITTED))
        .isEqualTo(10);
    assertThat(start(OffsetRule.timestamp(1_003), IsolationLevel.READ_UNCOMMITTED)).isEqualTo(3);
  }

  private long readable(TopicPartition log) {
    try (KafkaConsumer<byte[], byte[]> consumer = committedReader()) {
      consumer.assign(List.of(log));
      consumer.seek(log, 0);
      long records = 0;
      long end = end(log);
      long position = 0;
      while (position < end) {
        ConsumerRecords<byte[], byte[]> batch = consumer.poll(Duration.ofMillis(100));
        records += batch.count();
        position = consumer.position(log);
      }
      return records;
    }
  }

  private long end(TopicPartition log) {
    return ((Resolved)
            resolver(IsolationLevel.READ_UNCOMMITTED, DataLossPolicy.FAIL, Duration.ofSeconds(20))
                .resolve(List.of(log), OffsetRule.latest())
                .get(log))
        .position()
        .offset();
  }

  private long start(OffsetRule rule, IsolationLevel isolation) {
    return ((Resolved)
            resolver(isolation, DataLossPolicy.FAIL, Duration.ofSeconds(20))
                .resolve(List.of(partition), rule)
                .get(partition))
        .position()
        .offset();
  }

  private OffsetResolver resolver(
      IsolationLevel isolation, DataLossPolicy policy, Duration timeout) {
    return new OffsetResolver(admin, group, isolation, policy, timeout, Clock.systemUTC());
  }

  private static LagTracker tracker(IsolationLevel isolation) {
    return LagTracker.builder()
        .admin(broker::admin)
        .isolation(isolation)
        .interval(Duration.ofMillis(100))
        .build();
  }

  private KafkaProducer<byte[], byte[]> transactional() {
    KafkaProducer<byte[], byte[]> producer =
        broker.producer(Map.of("transactional.id", "tx-" + UUID.randomUUID()));
    producer.initTransactions();
    return producer;
  }

  private void send(KafkaProducer<byte[], byte[]> producer, int count) throws Exception {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      sent.add(producer.send(new ProducerRecord<>(topic, 0, null, new byte[8])));
    }
    for (Future<RecordMetadata> each : sent) {
      each.get(30, TimeUnit.SECONDS);
    }
  }

  private ConsumerGroupMetadata groupMetadata() {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers(), "group.id", group),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      return consumer.groupMetadata();
    }
  }

  private static KafkaConsumer<byte[], byte[]> committedReader() {
    return new KafkaConsumer<>(
        Map.of(
            "bootstrap.servers",
            broker.bootstrapServers(),
            "isolation.level",
            "read_committed",
            "auto.offset.reset",
            "none"),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer());
  }
}
