package io.korpse.flink.source.enumerator;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.SourceSettings;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.MockAdminClient;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.TopicCollection.TopicNameCollection;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.junit.jupiter.api.Test;

final class KafkaClusterTest {

  private static final Node NODE = new Node(0, "broker", 9092);

  private final List<String> described = new ArrayList<>();

  /** W31: the names of all topics are listed, since Kafka has no other way. */
  @Test
  void of_a_pattern_only_the_topics_that_match_are_described() throws Exception {
    try (MockAdminClient admin = new Recording()) {
      for (String topic : List.of("flights-1", "flights-2", "other", "my-flights-3")) {
        admin.addTopic(
            false,
            topic,
            List.of(new TopicPartitionInfo(0, NODE, List.of(NODE), List.of(NODE))),
            Map.of());
      }
      KafkaCluster cluster =
          new KafkaCluster(
              SourceSettings.defaults("broker:9092"),
              new Subscription.TopicPattern(Pattern.compile("flights-.*")),
              getClass().getClassLoader(),
              Clock.systemUTC(),
              () -> admin);

      assertThat(cluster.discover().partitions())
          .containsOnlyKeys(new TopicPartition("flights-1", 0), new TopicPartition("flights-2", 0));
      assertThat(described).containsExactlyInAnyOrder("flights-1", "flights-2");
    }
  }

  private final class Recording extends MockAdminClient {

    private Recording() {
      super(List.of(NODE), NODE);
    }

    @Override
    public synchronized DescribeTopicsResult describeTopics(
        TopicCollection topics, DescribeTopicsOptions options) {
      described.addAll(((TopicNameCollection) topics).topicNames());
      return super.describeTopics(topics, options);
    }
  }
}
