package io.korpse.testing;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;

final class EmbeddedBrokerIT {

  @Test
  void starts_a_broker_that_creates_topics() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start();
        Admin admin = broker.admin()) {
      broker.createTopic("some-topic", 2);

      assertThat(admin.listTopics().names().get()).contains("some-topic");
    }
  }
}
