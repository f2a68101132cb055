package io.korpse.flink.source.enumerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.SourceSettings;
import io.korpse.offsets.OffsetRule;
import io.korpse.offsets.Resolution;
import io.korpse.testing.EmbeddedBroker;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(90)
final class KafkaClusterIT {

  private static EmbeddedBroker broker;

  private final String topic = "t-" + UUID.randomUUID();

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @Test
  void finds_the_partitions_of_topics_and_names_those_that_are_missing() throws Exception {
    broker.createTopic(topic, 2);

    Discovered found = discover(Subscription.Topics.of(List.of(topic, "missing")));

    assertThat(found.partitions()).containsOnlyKeys(partition(0), partition(1));
    assertThat(found.missing()).containsExactly("missing");
  }

  @Test
  void finds_topics_whose_whole_name_matches() throws Exception {
    broker.createTopic(topic, 1);
    broker.createTopic(topic + "-longer", 1);

    Discovered found = discover(new Subscription.TopicPattern(Pattern.compile("t-.{36}")));

    assertThat(found.partitions()).containsKey(partition(0));
    assertThat(found.partitions().keySet())
        .noneMatch(each -> each.topic().equals(topic + "-longer"));
  }

  @Test
  void finds_single_partitions_and_names_those_that_are_missing() throws Exception {
    broker.createTopic(topic, 2);

    Discovered found = discover(new Subscription.Partitions(Set.of(partition(1), partition(7))));

    assertThat(found.partitions()).containsOnlyKeys(partition(1));
    assertThat(found.missing()).containsExactly(topic + "-7");
  }

  @Test
  void of_given_partitions_finds_those_that_exist_whatever_is_subscribed_to() throws Exception {
    broker.createTopic(topic, 2);
    TopicPartition other = new TopicPartition("missing", 0);
    try (Cluster cluster = cluster(Subscription.Topics.of(List.of("another")))) {
      assertThat(cluster.existing(Set.of(partition(1), partition(7), other)))
          .containsOnlyKeys(partition(1))
          .doesNotContainValue(Uuid.ZERO_UUID);
    }
  }

  /** W33. */
  @Test
  void asks_the_users_code_and_opens_and_closes_it() throws Exception {
    broker.createTopic(topic, 2);
    OwnChoice choice = new OwnChoice(partition(1));
    try (Cluster cluster = cluster(new Subscription.Custom(choice))) {
      assertThat(cluster.discover().partitions()).containsOnlyKeys(partition(1));
      cluster.discover();
    }

    assertThat(choice.calls).containsExactly("open", "close");
  }

  @Test
  void tells_a_topic_that_was_created_again_from_the_old_one() throws Exception {
    broker.createTopic(topic, 1);
    Uuid before = discover(Subscription.Topics.of(List.of(topic))).partitions().get(partition(0));
    try (Admin admin = broker.admin()) {
      admin.deleteTopics(List.of(topic)).all().get();
      await()
          .atMost(EmbeddedBroker.patience())
          .until(() -> !admin.listTopics().names().get().contains(topic));
    }
    broker.createTopic(topic, 1);

    Uuid after = discover(Subscription.Topics.of(List.of(topic))).partitions().get(partition(0));

    assertThat(before).isNotEqualTo(Uuid.ZERO_UUID).isNotEqualTo(after);
  }

  @Test
  void resolves_offsets() {
    broker.createTopic(topic, 1);
    try (Cluster cluster = cluster(Subscription.Topics.of(List.of(topic)))) {
      assertThat(cluster.resolve(Set.of(partition(0)), OffsetRule.latest()).get(partition(0)))
          .isInstanceOf(Resolution.Resolved.class);
    }
  }

  @Test
  void says_where_nobody_answers() {
    SourceSettings nowhere =
        SourceSettings.defaults("localhost:1")
            .with(KorpseSourceOptions.CONNECT_TIMEOUT, Duration.ofSeconds(2));

    try (Cluster cluster =
        new KafkaCluster(
            nowhere, Subscription.Topics.of(List.of("t")), loader(), Clock.systemUTC())) {
      assertThatThrownBy(cluster::discover)
          .hasMessageContaining("localhost:1")
          .hasMessageContaining("2000 ms");
    }
  }

  @Test
  void says_which_address_cannot_be_looked_up() {
    SourceSettings nowhere = SourceSettings.defaults("no-such-host.invalid:9092");

    try (Cluster cluster =
        new KafkaCluster(
            nowhere, Subscription.Topics.of(List.of("t")), loader(), Clock.systemUTC())) {
      assertThatThrownBy(cluster::discover).hasMessageContaining("no-such-host.invalid:9092");
    }
  }

  private TopicPartition partition(int number) {
    return new TopicPartition(topic, number);
  }

  private static Discovered discover(Subscription subscription) throws Exception {
    try (Cluster cluster = cluster(subscription)) {
      return cluster.discover();
    }
  }

  private static Cluster cluster(Subscription subscription) {
    SourceSettings settings =
        SourceSettings.defaults(broker.bootstrapServers())
            .withKafka("fetch.min.bytes", "1")
            .withKafka("auto.offset.reset", "none");
    return new KafkaCluster(settings, subscription, loader(), Clock.systemUTC());
  }

  private static ClassLoader loader() {
    return KafkaClusterIT.class.getClassLoader();
  }

  private static final class OwnChoice implements KafkaSubscriber {
    private static final long serialVersionUID = 1L;
    private final TopicPartition choice;
    private final List<String> calls = new ArrayList<>();

    OwnChoice(TopicPartition choice) {
      this.choice = choice;
    }

    @Override
    public void open(Properties kafka) {
      calls.add("open");
    }

    @Override
    public Set<TopicPartition> getSubscribedTopicPartitions(Admin admin) {
      return Set.of(choice);
    }

    @Override
    public void close() {
      calls.add("close");
    }
  }
}
