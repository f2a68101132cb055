package io.korpse.flink.source.reader;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korpse.flink.source.Extensions;
import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.SourceSettings;
import io.korpse.flink.source.deserializer.KafkaRecordDeserializationSchema;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import io.korpse.testing.EmbeddedBroker;
import io.korpse.testing.Sender;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.configuration.MemorySize;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The user's code in the reading part, and the metrics of reading by name, on a real broker. */
@Timeout(120)
final class ReaderExtensionsIT {

  private static final String TOPIC = "extended";
  private static final int RECORDS = 300;

  /** Of the factory, which is serialized. */
  private static final Map<String, Object> CONFIG = new ConcurrentHashMap<>();

  private static EmbeddedBroker broker;

  private final CollectingOutput<String> output = new CollectingOutput<>();
  private final MetricsOfReader metrics = new MetricsOfReader();

  @BeforeAll
  static void startBroker() throws Exception {
    broker = EmbeddedBroker.start();
    broker.createTopic(TOPIC, 2);
    try (Sender sender = new Sender(broker, Map.of())) {
      for (int i = 0; i < RECORDS; i++) {
        sender.send(TOPIC, 0, (long) i, ("0:" + i).getBytes(UTF_8));
        sender.send(TOPIC, 1, (long) i, ("1:" + i).getBytes(UTF_8));
      }
    }
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @Test
  void reads_with_the_users_consumer_hook_and_size_and_shows_what_it_reads() throws Exception {
    SourceSettings settings =
        SourceSettings.defaults(broker.bootstrapServers())
            .with(KorpseSourceOptions.READER_BUFFER, MemorySize.ofMebiBytes(8))
            .with(
                new Extensions(
                    (config, keys, values) -> {
                      CONFIG.putAll(config);
                      return new KafkaConsumer<>(config, keys, values);
                    },
                    (record, drops) ->
                        record.offset() % 3 == 0 ? drops.because("third") : marked(record),
                    record -> 1_000));
    SourceReader<String, KorpseSplit> reader =
        KorpseReaders.create(
            new FakeReaderContext(metrics.group()),
            KafkaRecordDeserializationSchema.valueOnly(new SimpleStringSchema()),
            settings);
    try {
      reader.start();
      reader.addSplits(List.of(split(0), split(1)));
      int kept = RECORDS / 3 * 2;
      await()
          .pollInSameThread()
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(1))
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                reader.pollNext(output);
                return output.elements.size() >= 2 * kept;
              });

      List<String> expected = new ArrayList<>();
      for (int i = 0; i < RECORDS; i++) {
        if (i % 3 != 0) {
          expected.add("seen 0:" + i);
          expected.add("seen 1:" + i);
        }
      }
      assertThat(output.elements).containsExactlyInAnyOrderElementsOf(expected);
      assertThat(CONFIG)
          .containsEntry("auto.offset.reset", "none")
          .containsEntry("group.protocol", "classic")
          .doesNotContainKeys("group.id", "key.deserializer", "value.deserializer");

      assertThat(metrics.number("recordsDropped")).isEqualTo(2L * RECORDS / 3);
      assertThat(metrics.number("drop.third.recordsDropped")).isEqualTo(2L * RECORDS / 3);
      assertThat(metrics.number("partitions")).isEqualTo(2);
      assertThat(metrics.number("recordsRead")).isEqualTo(2L * RECORDS);
      assertThat(metrics.number("bytesRead")).isEqualTo(2_000L * kept);
      assertThat(metrics.number("polls")).isPositive();
      assertThat(metrics.number("skippedPolls")).isNotNegative();
      for (int partition = 0; partition < 2; partition++) {
        String of = "topic." + TOPIC + ".partition." + partition + ".";
        assertThat(metrics.number(of + "recordsRead")).isEqualTo(kept);
        assertThat(metrics.number(of + "bytesRead")).isEqualTo(1_000L * kept);
        assertThat(metrics.number(of + "bufferedRecords")).isZero();
        assertThat(metrics.number(of + "bufferedBytes")).isZero();
        assertThat(metrics.number(of + "paused")).isZero();
        assertThat(metrics.number(of + "pauseReasons")).isZero();
        assertThat(metrics.number(of + "currentOffset")).isEqualTo(RECORDS - 1);
        await().until(() -> metrics.number(of + "highWatermark") == RECORDS);
        assertThat(metrics.number(of + "recordsLag")).isZero();
      }
    } finally {
      reader.close();
    }
  }

  private static ConsumerRecord<byte[], byte[]> marked(ConsumerRecord<byte[], byte[]> record) {
    return new ConsumerRecord<>(
        record.topic(),
        record.partition(),
        record.offset(),
        record.timestamp(),
        record.timestampType(),
        record.serializedKeySize(),
        record.serializedValueSize(),
        record.key(),
        ("seen " + new String(record.value(), UTF_8)).getBytes(UTF_8),
        record.headers(),
        record.leaderEpoch());
  }

  private static KorpseSplit split(int partition) {
    return new KorpseSplit(
        new TopicPartition(TOPIC, partition),
        new Position(0, -1),
        KorpseSplit.NO_STOP_OFFSET,
        Uuid.ZERO_UUID,
        false);
  }
}
