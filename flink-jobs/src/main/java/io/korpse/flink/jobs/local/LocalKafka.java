package io.korpse.flink.jobs.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.Uuid;

/**
 * A Kafka cluster (KRaft) of one or more nodes, each in its own process on free ports. It ends with
 * its workspace.
 */
public final class LocalKafka {

  static final String HOST = "127.0.0.1";

  private final List<LocalBroker> brokers;

  private LocalKafka(List<LocalBroker> brokers) {
    this.brokers = brokers;
  }

  /**
   * Starts the nodes; returns before they answer.
   *
   * @param workspace where they keep their data and logs
   * @param jars the class paths of the build
   * @param nodes number of nodes; each is broker and controller
   * @param overrides broker settings
   */
  public static LocalKafka start(
      Workspace workspace, Classpath jars, int nodes, Map<String, String> overrides) {
    return start(workspace, jars, nodes, overrides, List.of());
  }

  /**
   * Starts the nodes with further listeners for clients; brokers talk over the plain one.
   *
   * @see #start(Workspace, Classpath, int, Map)
   */
  public static LocalKafka start(
      Workspace workspace,
      Classpath jars,
      int nodes,
      Map<String, String> overrides,
      List<Listener> listeners) {
    List<Integer> controllers = Ports.free(nodes);
    List<String> voters = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      voters.add((i + 1) + "@" + HOST + ":" + controllers.get(i));
    }
    String clusterId = Uuid.randomUuid().toString();
    List<LocalBroker> brokers = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      BrokerPorts ports = BrokerPorts.choose(listeners);
      Map<String, String> settings = settings(nodes);
      settings.putAll(ports.settings(controllers.get(i)));
      settings.put("controller.quorum.voters", String.join(",", voters));
      settings.putAll(overrides);
      brokers.add(new LocalBroker(workspace, jars.kafka(), i + 1, ports, settings));
    }
    brokers.parallelStream().forEach(broker -> broker.format(clusterId));
    brokers.forEach(LocalBroker::start);
    return new LocalKafka(List.copyOf(brokers));
  }

  private static Map<String, String> settings(int nodes) {
    String replicas = Integer.toString(Math.min(3, nodes));
    Map<String, String> settings = new HashMap<>();
    settings.put("process.roles", "broker,controller");
    settings.put("auto.create.topics.enable", "false");
    settings.put("group.initial.rebalance.delay.ms", "0");
    settings.put("offsets.topic.num.partitions", "4");
    settings.put("offsets.topic.replication.factor", replicas);
    settings.put("transaction.state.log.num.partitions", "4");
    settings.put("transaction.state.log.replication.factor", replicas);
    settings.put("transaction.state.log.min.isr", nodes > 1 ? "2" : "1");
    settings.put("share.coordinator.state.topic.replication.factor", replicas);
    settings.put("share.coordinator.state.topic.min.isr", "1");
    settings.put("controlled.shutdown.enable", "true");
    // Each partition has two sparse files of this size, 10 MiB by default. For 2,000 partitions
    // some file systems take minutes to give them their first pages.
    settings.put("log.index.size.max.bytes", "1048576");
    return settings;
  }

  /** The nodes, by number. */
  public List<LocalBroker> brokers() {
    return brokers;
  }

  /** The value for {@code bootstrap.servers}: all nodes. */
  public String bootstrapServers() {
    return brokers.stream().map(LocalBroker::address).collect(Collectors.joining(","));
  }

  /** The value for {@code bootstrap.servers} of clients that use one of the further listeners. */
  public String bootstrapServers(String listener) {
    return brokers.stream()
        .map(broker -> broker.address(listener))
        .collect(Collectors.joining(","));
  }

  /** The node with this number. */
  public LocalBroker broker(int nodeId) {
    return brokers.get(nodeId - 1);
  }

  /** A new Admin client of the plain listener; the caller closes it. */
  public Admin admin() {
    Properties config = new Properties();
    config.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers());
    config.put(AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, "500");
    return Admin.create(config);
  }

  /**
   * Waits until every node is registered and answers.
   *
   * @throws IllegalStateException when time is up or a node's process has ended
   */
  public void awaitReady(Duration atMost) {
    try (Admin admin = admin()) {
      Await.until(
          "Kafka at " + bootstrapServers(),
          atMost,
          () -> {
            brokers.forEach(broker -> broker.process().requireAlive());
            return answeringNodes(admin) == brokers.size();
          });
    }
  }

  private static int answeringNodes(Admin admin) throws InterruptedException {
    try {
      return admin.describeCluster().nodes().get(5, TimeUnit.SECONDS).size();
    } catch (ExecutionException | java.util.concurrent.TimeoutException e) {
      return 0;
    }
  }
}
