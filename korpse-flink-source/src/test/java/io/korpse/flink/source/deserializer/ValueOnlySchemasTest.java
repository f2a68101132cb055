package io.korpse.flink.source.deserializer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.functions.util.ListCollector;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.Collector;
import org.apache.flink.util.SimpleUserCodeClassLoader;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;

final class ValueOnlySchemasTest {

  @Test
  void a_flink_schema_may_give_several_elements_per_record() throws Exception {
    KafkaRecordDeserializationSchema<String> schema =
        KafkaRecordDeserializationSchema.valueOnly(new Words());

    assertThat(read(schema, record("one two three", ""))).containsExactly("one", "two", "three");
  }

  @Test
  void a_flink_schema_is_closed_when_it_can_be() throws Exception {
    Words words = new Words();
    KafkaRecordDeserializationSchema<String> schema =
        KafkaRecordDeserializationSchema.valueOnly(words);
    schema.open(new Context());

    schema.close();

    assertThat(words.closed).isTrue();
  }

  @Test
  void a_flink_schema_needs_neither_key_nor_headers_nor_tombstones() {
    KafkaRecordDeserializationSchema<String> schema =
        KafkaRecordDeserializationSchema.valueOnly(new Words());

    assertThat(schema.readsKey()).isFalse();
    assertThat(schema.readsHeaders()).isFalse();
    assertThat(schema.readsTombstones()).isFalse();
  }

  /** W63, W68. */
  @Test
  void a_kafka_deserializer_is_given_the_headers_and_its_configuration() throws Exception {
    KafkaRecordDeserializationSchema<String> schema =
        KafkaRecordDeserializationSchema.valueOnly(HeaderReader.class, Map.of("suffix", "!"));

    assertThat(schema.readsHeaders()).isTrue();
    assertThat(read(schema, record("value", "header"))).containsExactly("value/header!");
  }

  @Test
  void a_kafka_deserializer_tells_its_type() {
    assertThat(
            KafkaRecordDeserializationSchema.valueOnly(StringDeserializer.class).getProducedType())
        .isEqualTo(Types.STRING);
  }

  @Test
  void a_kafka_deserializer_is_closed_once() throws Exception {
    KafkaRecordDeserializationSchema<String> schema =
        KafkaRecordDeserializationSchema.valueOnly(HeaderReader.class, Map.of("suffix", "!"));
    schema.open(new Context());

    schema.close();
    schema.close();

    assertThatThrownBy(() -> schema.deserialize(record("a", "b"), new ListCollector<>(List.of())))
        .hasMessageContaining("not opened");
  }

  private static <T> List<T> read(
      KafkaRecordDeserializationSchema<T> schema, ConsumerRecord<byte[], byte[]> record)
      throws Exception {
    List<T> elements = new ArrayList<>();
    schema.open(new Context());
    schema.deserialize(record, new ListCollector<>(elements));
    schema.close();
    return elements;
  }

  private static ConsumerRecord<byte[], byte[]> record(String value, String header) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    RecordHeaders headers = new RecordHeaders();
    headers.add("h", header.getBytes(StandardCharsets.UTF_8));
    return new ConsumerRecord<>(
        "topic", 0, 5, 1L, TimestampType.CREATE_TIME, 0, 9, null, bytes, headers, Optional.empty());
  }

  private static final class Words extends AbstractDeserializationSchema<String>
      implements AutoCloseable {
    private static final long serialVersionUID = 1L;
    private boolean closed;

    @Override
    public String deserialize(byte[] message) {
      throw new UnsupportedOperationException("the collector form is used");
    }

    @Override
    public void deserialize(byte[] message, Collector<String> out) {
      for (String word : new String(message, StandardCharsets.UTF_8).split(" ", -1)) {
        out.collect(word);
      }
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  /** Needs the header, as deserializers do that find their schema there. */
  public static final class HeaderReader implements Deserializer<String> {
    private String suffix;

    @Override
    public void configure(Map<String, ?> configs, boolean isKey) {
      suffix = (String) configs.get("suffix");
    }

    @Override
    public String deserialize(String topic, byte[] data) {
      throw new UnsupportedOperationException("without headers");
    }

    @Override
    public String deserialize(String topic, Headers headers, byte[] data) {
      byte[] header = headers.lastHeader("h").value();
      return new String(data, StandardCharsets.UTF_8)
          + "/"
          + new String(header, StandardCharsets.UTF_8)
          + suffix;
    }
  }

  private static final class Context implements DeserializationSchema.InitializationContext {
    @Override
    public MetricGroup getMetricGroup() {
      return new UnregisteredMetricsGroup();
    }

    @Override
    public UserCodeClassLoader getUserCodeClassLoader() {
      return SimpleUserCodeClassLoader.create(getClass().getClassLoader());
    }
  }
}
