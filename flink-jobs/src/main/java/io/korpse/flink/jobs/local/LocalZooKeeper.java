package io.korpse.flink.jobs.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A ZooKeeper in its own process, which lets a standby JobManager take over. It is the one that
 * Flink ships shaded, so it needs no jar of its own. It ends with its workspace.
 */
public final class LocalZooKeeper {

  private static final String SERVER =
      "org.apache.flink.shaded.zookeeper3.org.apache.zookeeper.server.ZooKeeperServerMain";

  private final Workspace workspace;
  private final int port;

  private LocalZooKeeper(Workspace workspace, int port) {
    this.workspace = workspace;
    this.port = port;
  }

  /** Starts it; returns before it answers, for which Flink waits. */
  public static LocalZooKeeper start(Workspace workspace, Classpath jars) {
    LocalZooKeeper zooKeeper = new LocalZooKeeper(workspace, Ports.free(1).get(0));
    Path home = workspace.subdirectory("zookeeper");
    Path configuration = home.resolve("zoo.cfg");
    try {
      Files.writeString(
          configuration,
          """
          dataDir=%s
          clientPortAddress=%s
          clientPort=%d
          tickTime=1000
          maxSessionTimeout=60000
          maxClientCnxns=0
          admin.enableServer=false
          """
              .formatted(home.resolve("data"), LocalFlink.HOST, zooKeeper.port));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    workspace.start(
        new JavaCommand(
            "zookeeper",
            jars.zooKeeper(),
            List.of("-Xmx128m", "-XX:+UseSerialGC", "-Dzookeeper.admin.enableServer=false"),
            SERVER,
            List.of(configuration.toString())));
    return zooKeeper;
  }

  /** The Flink settings of a cluster that elects its JobManager here. */
  public Map<String, String> highAvailability() {
    return Map.of(
        "high-availability.type", "zookeeper",
        "high-availability.zookeeper.quorum", LocalFlink.HOST + ":" + port,
        "high-availability.storageDir",
            workspace.subdirectory("high-availability").toUri().toString(),
        // A JobManager that was killed loses its office after this long.
        "high-availability.zookeeper.client.session-timeout", "8 s",
        "high-availability.zookeeper.client.connection-timeout", "8 s",
        // A session that is only late, on a busy machine, is not a lost one.
        "high-availability.zookeeper.client.tolerate-suspended-connections", "true");
  }
}
