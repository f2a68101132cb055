package io.korpse.flink.jobs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class LocalKafkaIT {

  private static final Duration TIME_TO_START = Duration.ofMinutes(2);

  @Test
  void a_killed_broker_comes_back_with_its_data_and_address() throws Exception {
    try (Workspace workspace = Workspace.create("korpse-test-")) {
      LocalKafka kafka = LocalKafka.start(workspace, Classpath.of(Path.of("target")), 1, Map.of());
      kafka.awaitReady(TIME_TO_START);
      try (Admin admin = kafka.admin()) {
        admin.createTopics(List.of(new NewTopic("kept", 1, (short) 1))).all().get();
      }
      LocalBroker broker = kafka.brokers().get(0);
      broker.process().kill();
      broker.process().awaitEnd();

      broker.start();
      kafka.awaitReady(TIME_TO_START);

      try (Admin admin = kafka.admin()) {
        assertThat(admin.listTopics().names().get()).containsExactly("kept");
      }
    }
  }
}
