package io.korpse.testing;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.test.KafkaClusterTestKit;
import org.apache.kafka.common.test.TestKitNodes;

/** Real Kafka brokers inside this JVM, on free ports, with one controller. */
public final class EmbeddedBroker implements AutoCloseable {

  private static final ListenerName LOGIN = new ListenerName("LOGIN");

  private final KafkaClusterTestKit cluster;

  private EmbeddedBroker(KafkaClusterTestKit cluster) {
    this.cluster = cluster;
  }

  /** Starts one broker with the settings that suit tests. */
  public static EmbeddedBroker start() {
    return start(1, Map.of());
  }

  /** Starts {@code brokers} brokers; {@code config} overrides the settings of each. */
  public static EmbeddedBroker start(int brokers, Map<String, String> config) {
    return start(brokers, 1, config, Map.of());
  }

  /**
   * Starts one broker with two directories for logs, as for two disks; see {@link BrokerDisks}.
   *
   * @param config overrides settings
   */
  public static EmbeddedBroker startWithTwoDisks(Map<String, String> config) {
    return start(1, 2, config, Map.of());
  }

  /** Starts one broker that also takes logins by PLAIN, at {@link #loginServers()}. */
  public static EmbeddedBroker startWithLogin(String user, String password) {
    String listener = LOGIN.value();
    return start(
        1,
        1,
        Map.of(),
        Map.of(
            "listeners",
            "EXTERNAL://localhost:0," + listener + "://localhost:0",
            "listener.security.protocol.map",
            "EXTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT," + listener + ":SASL_PLAINTEXT",
            "listener.name.login.sasl.enabled.mechanisms",
            "PLAIN",
            "listener.name.login.plain.sasl.jaas.config",
            "org.apache.kafka.common.security.plain.PlainLoginModule required user_"
                + user
                + "=\""
                + password
                + "\";"));
  }

  private static EmbeddedBroker start(
      int brokers, int disks, Map<String, String> config, Map<String, String> ofFirstBroker) {
    Map<String, String> settings = new HashMap<>();
    int replicas = Math.min(3, brokers);
    settings.put("offsets.topic.num.partitions", "4");
    settings.put("offsets.topic.replication.factor", Integer.toString(replicas));
    settings.put("transaction.state.log.num.partitions", "2");
    settings.put("transaction.state.log.replication.factor", Integer.toString(replicas));
    settings.put("transaction.state.log.min.isr", "1");
    settings.put("group.initial.rebalance.delay.ms", "0");
    settings.put("auto.create.topics.enable", "false");
    settings.put("log.retention.ms", "-1");
    settings.putAll(config);
    try {
      KafkaClusterTestKit.Builder builder =
          new KafkaClusterTestKit.Builder(
              new TestKitNodes.Builder()
                  .setCombined(false)
                  .setNumControllerNodes(1)
                  .setNumBrokerNodes(brokers)
                  .setNumDisksPerBroker(disks)
                  .setPerServerProperties(Map.of(0, ofFirstBroker))
                  .build());
      settings.forEach(builder::setConfigProp);
      KafkaClusterTestKit cluster = builder.build();
      cluster.format();
      cluster.startup();
      cluster.waitForReadyBrokers();
      return new EmbeddedBroker(cluster);
    } catch (Exception e) {
      throw new IllegalStateException("The test broker did not start", e);
    }
  }

  /** The cluster itself, to stop and start single brokers. */
  public KafkaClusterTestKit cluster() {
    return cluster;
  }

  /** The value for {@code bootstrap.servers}. */
  public String bootstrapServers() {
    return cluster.bootstrapServers();
  }

  /** The value for {@code bootstrap.servers} of a client that logs in. */
  public String loginServers() {
    return "localhost:" + cluster.brokers().get(0).boundPort(LOGIN);
  }

  /** A new Admin client; the caller closes it. */
  public Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", bootstrapServers()));
  }

  /** A new producer of bytes; the caller closes it. */
  public KafkaProducer<byte[], byte[]> producer(Map<String, Object> overrides) {
    Map<String, Object> config = new HashMap<>();
    config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers());
    config.put(ProducerConfig.LINGER_MS_CONFIG, 1);
    config.putAll(overrides);
    return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** Writes records of eight zero bytes, one timestamp after the other; waits for the broker. */
  public void produce(TopicPartition partition, long firstTimestamp, int count) {
    try (KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        sent.add(
            producer.send(
                new ProducerRecord<>(
                    partition.topic(),
                    partition.partition(),
                    firstTimestamp + i,
                    null,
                    new byte[8])));
      }
      for (Future<RecordMetadata> each : sent) {
        each.get(30, TimeUnit.SECONDS);
      }
    } catch (Exception e) {
      throw new IllegalStateException("Could not write to " + partition, e);
    }
  }

  /** Creates a topic without time-based retention and waits until it is there. */
  public void createTopic(String topic, int partitions) {
    createTopic(topic, partitions, Map.of());
  }

  /**
   * Creates a topic with the given configuration and waits until it is there.
   *
   * <p>A broker names the leaders of a new topic before it has opened their logs. A producer that
   * writes in between is refused, and its second batch may be taken before its first, which is then
   * out of order for ever (KAFKA-15591). Only an open log answers where its end is.
   */
  public void createTopic(String topic, int partitions, Map<String, String> config) {
    Map<String, String> settings = new HashMap<>(Map.of("retention.ms", "-1"));
    settings.putAll(config);
    try (Admin admin = admin()) {
      admin
          .createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(settings)))
          .all()
          .get(30, TimeUnit.SECONDS);
      await()
          .atMost(patience())
          .ignoreExceptions()
          .until(
              () ->
                  admin
                      .describeTopics(List.of(topic))
                      .allTopicNames()
                      .get()
                      .get(topic)
                      .partitions()
                      .stream()
                      .allMatch(partition -> partition.leader() != null));
      awaitOpenLogs(admin, topic, partitions);
    } catch (Exception e) {
      throw new IllegalStateException("Topic " + topic + " was not created", e);
    }
  }

  /** Adds partitions until there are so many, and waits as {@link #createTopic} does. */
  public void increasePartitions(String topic, int partitions) {
    try (Admin admin = admin()) {
      admin
          .createPartitions(Map.of(topic, NewPartitions.increaseTo(partitions)))
          .all()
          .get(30, TimeUnit.SECONDS);
      awaitOpenLogs(admin, topic, partitions);
    } catch (Exception e) {
      throw new IllegalStateException(topic + " did not get " + partitions + " partitions", e);
    }
  }

  private static void awaitOpenLogs(Admin admin, String topic, int partitions) throws Exception {
    Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
    for (int p = 0; p < partitions; p++) {
      ends.put(new TopicPartition(topic, p), OffsetSpec.latest());
    }
    admin.listOffsets(ends).all().get(patience().toSeconds(), TimeUnit.SECONDS);
  }

  /** Moves a partition to one broker, its only replica then, and waits until that one leads it. */
  public void move(TopicPartition partition, int brokerId) {
    try (Admin admin = admin()) {
      admin
          .alterPartitionReassignments(
              Map.of(partition, Optional.of(new NewPartitionReassignment(List.of(brokerId)))))
          .all()
          .get(60, TimeUnit.SECONDS);
      await()
          .atMost(patience())
          .ignoreExceptions()
          .until(
              () ->
                  leader(admin, partition) == brokerId
                      && admin.listPartitionReassignments().reassignments().get().isEmpty());
    } catch (Exception e) {
      throw new IllegalStateException(partition + " was not moved to " + brokerId, e);
    }
  }

  /** The broker that leads a partition; -1 for none. */
  static int leader(Admin admin, TopicPartition partition) throws Exception {
    Node leader =
        admin
            .describeTopics(List.of(partition.topic()))
            .allTopicNames()
            .get(60, TimeUnit.SECONDS)
            .get(partition.topic())
            .partitions()
            .get(partition.partition())
            .leader();
    return leader == null || leader.isEmpty() ? -1 : leader.id();
  }

  /** Longest time that a test should wait for something that a healthy broker does. */
  public static Duration patience() {
    return Duration.ofSeconds(60);
  }

  @Override
  public void close() {
    try {
      cluster.close();
    } catch (Exception e) {
      throw new IllegalStateException("The test broker did not stop", e);
    }
  }
}
