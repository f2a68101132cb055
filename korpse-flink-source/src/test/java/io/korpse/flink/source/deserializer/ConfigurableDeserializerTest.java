package io.korpse.flink.source.deserializer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.util.ListCollector;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.SimpleUserCodeClassLoader;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.serialization.Deserializer;
import org.junit.jupiter.api.Test;

/** Kafka has two ways to configure a deserializer. */
final class ConfigurableDeserializerTest {

  @Test
  void a_deserializer_that_is_configurable_is_configured_that_way_and_only_so() throws Exception {
    assertThat(read(Both.class)).containsExactly("Configurable(a)/v");
  }

  @Test
  void any_other_is_configured_as_a_deserializer_of_values() throws Exception {
    assertThat(read(Plain.class)).containsExactly("Deserializer(a, false)/v");
  }

  private static List<String> read(Class<? extends Deserializer<String>> deserializer)
      throws Exception {
    KafkaRecordDeserializationSchema<String> schema =
        KafkaRecordDeserializationSchema.valueOnly(deserializer, Map.of("setting", "a"));
    schema.open(new Context());
    List<String> elements = new ArrayList<>();
    byte[] value = "v".getBytes(StandardCharsets.UTF_8);
    schema.deserialize(new ConsumerRecord<>("t", 0, 0, null, value), new ListCollector<>(elements));
    schema.close();
    return elements;
  }

  /** Tells how it was configured. */
  public static class Plain implements Deserializer<String> {
    String configured = "";

    @Override
    public void configure(Map<String, ?> configs, boolean isKey) {
      configured += "Deserializer(" + configs.get("setting") + ", " + isKey + ")";
    }

    @Override
    public String deserialize(String topic, byte[] data) {
      return configured + "/" + new String(data, StandardCharsets.UTF_8);
    }
  }

  /** As {@link Plain}, and configurable in the general way too. */
  public static final class Both extends Plain implements Configurable {
    @Override
    public void configure(Map<String, ?> configs) {
      configured += "Configurable(" + configs.get("setting") + ")";
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
