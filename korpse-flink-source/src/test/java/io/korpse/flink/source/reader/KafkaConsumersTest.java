package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.Extensions;
import io.korpse.flink.source.SourceSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.junit.jupiter.api.Test;

final class KafkaConsumersTest {

  private final List<Object> ids = new ArrayList<>();

  /** Two partitions may be damaged at once, and Kafka registers each client in JMX by its id. */
  @Test
  void each_probe_has_an_id_of_its_own() {
    KafkaConsumers clients =
        new KafkaConsumers(
            SourceSettings.defaults("localhost:1")
                .with(
                    new Extensions(
                        (config, keys, values) -> {
                          ids.add(config.get("client.id"));
                          return new MockConsumer<>("none");
                        },
                        null,
                        null)),
            Map.of(),
            "reader-7",
            KafkaConsumersTest.class.getClassLoader(),
            consumer -> {});

    clients.probe().close();
    clients.probe().close();

    assertThat(ids)
        .hasSize(2)
        .doesNotHaveDuplicates()
        .allMatch(id -> id.toString().startsWith("reader-7-probe"));
  }
}
