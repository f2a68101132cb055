package io.korpse.flink.source.reader;

import static io.korpse.flink.source.reader.ReaderRig.split;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.KorpseSource;
import io.korpse.flink.source.TombstonePolicy;
import io.korpse.flink.source.deserializer.KafkaRecordDeserializationSchema;
import io.korpse.testing.EmbeddedBroker;
import io.korpse.testing.Sender;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of records without a value, by policy, schema and thread. */
@Timeout(180)
final class TombstonesIT {

  private static EmbeddedBroker broker;

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  /** W62. */
  @ParameterizedTest
  @CsvSource({
    "AUTO, false, a none b, 0",
    "PASS, false, a none b, 0",
    "SKIP, false, a b, 1",
    "AUTO, true, a none b, 0",
    "PASS, true, a none b, 0",
    "SKIP, true, a b, 1",
  })
  void a_schema_that_reads_them_sees_them_unless_they_are_skipped(
      TombstonePolicy policy, boolean onFetcher, String elements, long skipped) throws Exception {
    check(new Reading(), policy, onFetcher, elements, skipped);
  }

  /** W62. */
  @ParameterizedTest
  @CsvSource({"AUTO, false", "SKIP, false", "AUTO, true", "SKIP, true"})
  void a_schema_of_values_does_not_see_them_and_they_are_counted(
      TombstonePolicy policy, boolean onFetcher) throws Exception {
    check(
        KafkaRecordDeserializationSchema.valueOnly(new SimpleStringSchema()),
        policy,
        onFetcher,
        "a b",
        1);
  }

  private static void check(
      KafkaRecordDeserializationSchema<String> schema,
      TombstonePolicy policy,
      boolean onFetcher,
      String elements,
      long skipped)
      throws Exception {
    String topic = "topic-" + UUID.randomUUID();
    broker.createTopic(topic, 1);
    try (Sender sender = new Sender(broker, Map.of())) {
      for (String value : Arrays.asList("a", null, "b")) {
        sender.send(
            new ProducerRecord<>(
                topic,
                0,
                42L,
                "key".getBytes(UTF_8),
                value == null ? null : value.getBytes(UTF_8)));
      }
    }
    try (ReaderRig rig =
        new ReaderRig(
            KorpseSource.<String>builder()
                .setBootstrapServers(broker.bootstrapServers())
                .setDeserializer(schema)
                .setDeserializeOnFetcher(onFetcher)
                .setTombstones(policy))) {
      rig.add(split(topic, 0, 3));
      rig.pollUntil(() -> rig.output.released.contains(topic + "-0"));

      assertThat(rig.output.elements).isEqualTo(List.of(elements.split(" ")));
      assertThat(rig.metrics.getCounter("KafkaSourceReader", "tombstonesSkipped"))
          .hasValueSatisfying(counter -> assertThat(counter.getCount()).isEqualTo(skipped));
    }
  }

  /** Says which record has no value. */
  private static final class Reading implements KafkaRecordDeserializationSchema<String> {
    private static final long serialVersionUID = 1L;

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<String> out) {
      out.collect(record.value() == null ? "none" : new String(record.value(), UTF_8));
    }

    @Override
    public boolean allowsFetcherThread() {
      return true;
    }

    @Override
    public TypeInformation<String> getProducedType() {
      return Types.STRING;
    }
  }
}
