package io.korpse.flink.source;

import static io.korpse.flink.source.KorpseSourceBuilderTest.valid;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Properties;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kafka's own configuration, as the builder takes it. */
final class BuilderKafkaSettingsTest {

  @Test
  void sets_what_the_source_needs_of_the_consumer() {
    Properties kafka = valid().build().settings().kafka();

    assertThat(kafka)
        .containsEntry("group.protocol", "classic")
        .containsEntry("enable.auto.commit", "false")
        .containsEntry("allow.auto.create.topics", "false")
        .containsEntry("auto.offset.reset", "none")
        .containsEntry("key.deserializer", ByteArrayDeserializer.class.getName())
        .containsEntry("value.deserializer", ByteArrayDeserializer.class.getName())
        .containsEntry("bootstrap.servers", "b:1")
        .hasSize(7);
  }

  @Test
  void ignores_a_reset_policy_and_a_client_id() {
    Properties kafka =
        valid()
            .setProperty("auto.offset.reset", "earliest")
            .setProperty("client.id", "mine")
            .build()
            .settings()
            .kafka();

    assertThat(kafka).containsEntry("auto.offset.reset", "none").doesNotContainKey("client.id");
  }

  @Test
  void leaves_fetch_settings_as_the_user_gave_them() {
    assertThat(valid().setProperty("max.poll.records", "77").build().settings().kafka())
        .containsEntry("max.poll.records", "77");
  }

  /** They failed on the TaskManager, at each restart. */
  @ParameterizedTest
  @CsvSource({
    "fetch.max.bytes, abc",
    "max.partition.fetch.bytes, 1.5",
    "max.partition.fetch.bytes, -1",
    "fetch.max.wait.ms, soon",
    "receive.buffer.bytes, -2",
    "max.poll.records, 0",
    "max.poll.records, ${file:a:b}",
    "fetch.max.bytes, 10000000000"
  })
  void rejects_a_fetch_setting_that_kafka_would_reject_by_key_and_value(String key, String value) {
    KorpseSourceBuilder<String> builder = valid().setProperty(key, value);

    assertThatIllegalArgumentException()
        .isThrownBy(builder::build)
        .withMessageContaining(key)
        .withMessageContaining(value);
  }

  @Test
  void takes_a_fetch_setting_of_a_config_provider() {
    String provided = "${file:/etc/kafka.properties:bytes}";

    assertThat(valid().setProperty("fetch.max.bytes", provided).build().settings().kafka())
        .containsEntry("fetch.max.bytes", provided);
  }

  @Test
  void takes_the_isolation_level_and_rejects_another() {
    assertThat(
            valid().setProperty("isolation.level", "read_committed").build().settings().isolation())
        .isEqualTo(IsolationLevel.READ_COMMITTED);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> valid().setProperty("isolation.level", "dirty").build())
        .withMessageContaining("'dirty'")
        .withMessageContaining("read_committed");
  }

  @Test
  void rejects_a_consumer_deserializer_that_gives_no_bytes() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                valid()
                    .setProperty("value.deserializer", StringDeserializer.class.getName())
                    .build())
        .withMessageContaining("value.deserializer")
        .withMessageContaining("setValueOnlyDeserializer");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> valid().setProperty("key.deserializer", "no.such.Class").build())
        .withMessageContaining("no.such.Class");
  }

  @Test
  void takes_a_consumer_deserializer_that_gives_bytes() {
    String decrypting = Decrypting.class.getName();

    assertThat(valid().setProperty("value.deserializer", decrypting).build().settings().kafka())
        .containsEntry("value.deserializer", decrypting);
  }

  @Test
  void takes_numbers_as_text_and_rejects_other_values_by_key() {
    Properties numbers = new Properties();
    numbers.put("fetch.min.bytes", 5);
    assertThat(valid().setProperties(numbers).build().settings().kafka())
        .containsEntry("fetch.min.bytes", "5");

    Properties objects = new Properties();
    objects.put("some.key", List.of());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> valid().setProperties(objects))
        .withMessageContaining("some.key");
  }

  /** Gives bytes, as one that decrypts would. */
  public static final class Decrypting extends ByteArrayDeserializer {}
}
