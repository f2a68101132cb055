package io.korpse.offsets.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korpse.offsets.lag.LagStatus;
import io.korpse.offsets.lag.LagTracker;
import io.korpse.offsets.lag.PartitionLag;
import io.korpse.testing.EmbeddedBroker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A real reader that falls behind the log start while it runs, as its metrics show it. */
@Timeout(120)
final class LostRecordsIT {

  private static final TopicPartition P0 = new TopicPartition("t", 0);
  private static final String READER = "KafkaSourceReader.";
  private static final String TOPIC = READER + "topic.t.";
  private static final String PARTITION = TOPIC + "partition.0.";

  private final RecordingGroup group = new RecordingGroup();
  private final OffsetMetrics metrics =
      new OffsetMetrics(group, values -> ((RecordingGroup) values).close());
  private final AtomicLong position = new AtomicLong();

  @Test
  void retention_that_overtakes_a_reader_shows_before_and_after_the_reader_notices()
      throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start();
        Admin admin = broker.admin();
        KafkaConsumer<byte[], byte[]> consumer = consumer(broker);
        LagTracker tracker =
            LagTracker.builder().admin(broker::admin).interval(Duration.ofMillis(100)).build()) {
      broker.createTopic("t", 1);
      for (int batch = 0; batch < 10; batch++) {
        broker.produce(P0, 1_000, 10);
      }
      metrics.bindLag(tracker);
      PartitionLag lag = tracker.track(P0, position::get);
      metrics.bind(lag);
      consumer.assign(List.of(P0));
      consumer.seek(P0, 0);
      while (position.get() < 20) {
        read(consumer);
      }
      long reached = position.get();
      assertThat(reached).isLessThan(70);
      assertThat(group.value(PARTITION + "recordsLost")).isEqualTo(0L);

      // The reader is held up, as by backpressure, and the log start passes it.
      admin
          .deleteRecords(Map.of(P0, RecordsToDelete.beforeOffset(70)))
          .all()
          .get(30, TimeUnit.SECONDS);
      long lost = 70 - reached;
      await()
          .untilAsserted(() -> assertThat(group.value(PARTITION + "recordsLost")).isEqualTo(lost));
      await()
          .untilAsserted(
              () ->
                  assertThat(group.value(READER + "lagStatus"))
                      .isEqualTo(LagStatus.LOSING_RECORDS.code()));
      assertThat(group.value(TOPIC + "recordsLost")).isEqualTo(lost);
      assertThat(group.value(READER + "recordsLost")).isEqualTo(lost);
      assertThat(group.value(READER + "recordsLag")).as("what is left").isEqualTo(30L);

      long skipped = 0;
      while (position.get() < 100) {
        try {
          read(consumer);
        } catch (OffsetOutOfRangeException e) {
          long start = consumer.beginningOffsets(List.of(P0)).get(P0);
          skipped = start - e.offsetOutOfRangePartitions().get(P0);
          lag.observeSkipped(skipped);
          position.set(start);
          consumer.seek(P0, start);
        }
      }
      assertThat(skipped).as("less what the client had fetched before").isBetween(10L, lost);
      for (String values : List.of(PARTITION, TOPIC, READER)) {
        assertThat(group.value(values + "recordsLost")).as(values).isEqualTo(skipped);
        assertThat(group.value(values + "recordsLag")).as(values).isEqualTo(0L);
      }
      await()
          .untilAsserted(
              () -> assertThat(group.value(READER + "lagStatus")).isEqualTo(LagStatus.OK.code()));
    }
  }

  private void read(KafkaConsumer<byte[], byte[]> consumer) {
    ConsumerRecords<byte[], byte[]> batch = consumer.poll(Duration.ofMillis(200));
    if (batch.nextOffsets().containsKey(P0)) {
      position.set(batch.nextOffsets().get(P0).offset());
    }
  }

  // One batch per fetch, or the client would hold all records before the log start moves.
  private static KafkaConsumer<byte[], byte[]> consumer(EmbeddedBroker broker) {
    return new KafkaConsumer<>(
        Map.of(
            "bootstrap.servers",
            broker.bootstrapServers(),
            "auto.offset.reset",
            "none",
            "max.partition.fetch.bytes",
            1),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer());
  }
}
