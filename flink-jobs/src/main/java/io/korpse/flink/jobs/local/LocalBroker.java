package io.korpse.flink.jobs.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One Kafka node, broker and controller at once, in its own process. Keeps its data and its ports
 * over a restart. Not thread-safe.
 */
public final class LocalBroker {

  private static final List<String> JVM_OPTIONS =
      List.of("-Xmx512m", "-XX:+UseG1GC", "-Djava.awt.headless=true");

  private final Workspace workspace;
  private final List<Path> classPath;
  private final int nodeId;
  private final BrokerPorts ports;
  private final Path properties;
  private final Path data;
  private ChildProcess process;

  LocalBroker(
      Workspace workspace,
      List<Path> classPath,
      int nodeId,
      BrokerPorts ports,
      Map<String, String> configuration) {
    this.workspace = workspace;
    this.classPath = classPath;
    this.nodeId = nodeId;
    this.ports = ports;
    ports.relays().values().forEach(relay -> workspace.onClose(relay::close));
    Path home = workspace.subdirectory("broker-" + nodeId);
    Map<String, String> settings = new TreeMap<>(configuration);
    settings.put("node.id", Integer.toString(nodeId));
    settings.putIfAbsent("log.dirs", home.resolve("data").toString());
    this.data = Path.of(settings.get("log.dirs").split(",", -1)[0]);
    this.properties = home.resolve("server.properties");
    StringBuilder text = new StringBuilder();
    settings.forEach((key, value) -> text.append(key).append('=').append(value).append('\n'));
    try {
      Files.writeString(properties, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The node's number, from 1. */
  public int nodeId() {
    return nodeId;
  }

  /** Host and port of its plain listener. */
  public String address() {
    return address(BrokerPorts.PLAIN);
  }

  /** Host and port that clients of one listener use. */
  String address(String listener) {
    return LocalKafka.HOST + ":" + ports.advertised().get(listener);
  }

  /** What the clients of a relayed listener come through. */
  public Relay relay(String listener) {
    return ports.relays().get(listener);
  }

  /** The running process, or the last one. */
  public ChildProcess process() {
    return process;
  }

  /** Writes the identity of the cluster into the empty data directory. */
  void format(String clusterId) {
    ChildProcess format =
        workspace.start(
            new JavaCommand(
                "broker-" + nodeId + "-format",
                classPath,
                List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                "kafka.tools.StorageTool",
                List.of("format", "-t", clusterId, "-c", properties.toString())));
    format.awaitEnd();
    if (!Files.exists(data.resolve("meta.properties"))) {
      throw new IllegalStateException("Kafka's storage was not formatted:\n" + format.tail());
    }
  }

  /** Starts the process; returns before the broker answers. */
  public void start() {
    start(0);
  }

  /**
   * As {@link #start()}, but no file of the broker grows beyond so much: what is written to a
   * larger one fails, as when the disk is full.
   */
  public void startWithFileLimit(int kiB) {
    start(kiB);
  }

  private void start(int fileLimitKiB) {
    process =
        workspace.start(
            new JavaCommand(
                "broker-" + nodeId,
                classPath,
                JVM_OPTIONS,
                "kafka.Kafka",
                List.of(properties.toString()),
                fileLimitKiB));
  }
}
