package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import io.korpse.testing.EmbeddedBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.Deserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Asking ahead with the real client, which alone decides when a fetch goes out. */
@Timeout(180)
final class FetchAheadIT {

  private static final String TOPIC = "ahead";
  private static final int PARTITIONS = 4;
  private static final int RECORDS = 20_000;
  private static final int POLL = 100;
  private static final Duration MOMENT = Duration.ofMillis(100);

  private final List<Watched> made = new ArrayList<>();
  private long read;

  @Test
  void a_fetch_goes_out_while_half_of_the_response_is_still_to_be_read() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start()) {
      broker.createTopic(TOPIC, PARTITIONS);
      fill(broker);
      ProxyConsumer consumer = consumer(broker);
      try {
        consumer.add(splits(), POLL);
        while (read < (long) PARTITIONS * RECORDS) {
          poll(consumer);
        }
      } finally {
        consumer.close(Duration.ofSeconds(5));
      }

      // About 80 responses of 64 KiB from each partition, two to a round.
      assertThat(made.get(0).asked).isGreaterThan(5);
      assertThat(made.get(0).paused).as("open again after each poll").isZero();
    }
  }

  private void poll(ProxyConsumer consumer) {
    ConsumerRecords<byte[], byte[]> polled = consumer.poll(MOMENT.toNanos());
    for (TopicPartition partition : polled.partitions()) {
      SplitBuffer split = consumer.split(partition);
      consumer.gave(split);
      long due = split.fetchOffset();
      for (ConsumerRecord<byte[], byte[]> record : polled.records(partition)) {
        assertThat(record.offset()).as("none lost, doubled or out of order").isEqualTo(due++);
        read++;
      }
      OffsetAndMetadata next = polled.nextOffsets().get(partition);
      split.append(polled.records(partition), next.offset(), Position.NO_EPOCH);
      split.observeEnd(next.offset() + consumer.currentLag(partition).orElse(0));
    }
    consumer.polled(polled.count() < POLL && !consumer.heldBack());
    made.get(0).paused += made.get(0).paused().size();
  }

  private ProxyConsumer consumer(EmbeddedBroker broker) {
    PollQuota quota = new PollQuota(true, true);
    quota.begin(Long.MAX_VALUE);
    return new ProxyConsumer(
        (overrides, keys, values) -> {
          made.add(new Watched(broker, keys, values));
          return made.get(0);
        },
        quota,
        new PauseLedger(new PauseTimes()),
        new FetchAhead(),
        8,
        new ProxyStats());
  }

  /** Counts the polls with something paused in which a request went out. */
  private static final class Watched extends KafkaConsumer<byte[], byte[]> {

    private int asked;
    private int paused;

    Watched(EmbeddedBroker broker, Deserializer<byte[]> keys, Deserializer<byte[]> values) {
      super(
          Map.of(
              ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
              broker.bootstrapServers(),
              ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
              false,
              ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
              POLL,
              ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
              64 * 1024),
          keys,
          values);
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
      double before = requests();
      boolean some = !paused().isEmpty();
      ConsumerRecords<byte[], byte[]> polled = super.poll(timeout);
      asked += some && requests() > before ? 1 : 0;
      return polled;
    }

    private double requests() {
      return metrics().entrySet().stream()
          .filter(metric -> metric.getKey().name().equals("request-total"))
          .filter(metric -> metric.getKey().group().equals("consumer-metrics"))
          .mapToDouble(metric -> (Double) metric.getValue().metricValue())
          .sum();
    }
  }

  private static List<SplitBuffer> splits() {
    List<SplitBuffer> splits = new ArrayList<>();
    for (int p = 0; p < PARTITIONS; p++) {
      KorpseSplit split =
          new KorpseSplit(
              new TopicPartition(TOPIC, p),
              Position.of(0),
              KorpseSplit.NO_STOP_OFFSET,
              Uuid.ZERO_UUID,
              false);
      splits.add(
          new SplitBuffer(
              split,
              (offset, epoch) -> {},
              end -> {},
              new SplitStats(),
              RecordWeigher.of(true, true)));
    }
    return splits;
  }

  private static void fill(EmbeddedBroker broker) throws Exception {
    List<Future<?>> sent = new ArrayList<>();
    try (KafkaProducer<byte[], byte[]> producer = broker.producer(Map.of("linger.ms", 20))) {
      for (int i = 0; i < RECORDS; i++) {
        for (int p = 0; p < PARTITIONS; p++) {
          sent.add(producer.send(new ProducerRecord<>(TOPIC, p, null, new byte[100])));
        }
      }
    }
    for (Future<?> each : sent) {
      each.get();
    }
  }
}
