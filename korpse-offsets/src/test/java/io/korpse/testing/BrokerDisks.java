package io.korpse.testing;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionReplica;
import org.apache.kafka.common.test.TestKitNode;

/**
 * The two disks of a broker that was started by {@link EmbeddedBroker#startWithTwoDisks}. The first
 * also holds the metadata, without which a broker ends; the second can fail.
 */
public final class BrokerDisks {

  private final EmbeddedBroker broker;
  private final int node;
  private final Path first;
  private final Path second;

  /** The disks of the only broker. */
  public BrokerDisks(EmbeddedBroker broker) {
    this.broker = broker;
    TestKitNode only = broker.cluster().nodes().brokerNodes().values().iterator().next();
    this.node = only.id();
    this.first = Path.of(only.metadataDirectory());
    this.second =
        only.logDataDirectories().stream()
            .map(Path::of)
            .filter(directory -> !directory.equals(first))
            .findFirst()
            .orElseThrow();
  }

  /** Moves a partition to the first disk and waits until it is there. */
  public void moveToFirst(TopicPartition partition) throws Exception {
    move(partition, first);
  }

  /** Moves a partition to the second disk and waits until it is there. */
  public void moveToSecond(TopicPartition partition) throws Exception {
    move(partition, second);
  }

  private void move(TopicPartition partition, Path disk) throws Exception {
    try (Admin admin = broker.admin()) {
      admin
          .alterReplicaLogDirs(
              Map.of(
                  new TopicPartitionReplica(partition.topic(), partition.partition(), node),
                  disk.toString()))
          .all()
          .get();
      await()
          .atMost(EmbeddedBroker.patience())
          .until(() -> disksOf(admin, partition).equals(List.of(disk)));
    }
  }

  private List<Path> disksOf(Admin admin, TopicPartition partition)
      throws InterruptedException, ExecutionException {
    Map<String, LogDirDescription> disks =
        admin.describeLogDirs(List.of(node)).allDescriptions().get().get(node);
    return disks.entrySet().stream()
        .filter(disk -> disk.getValue().replicaInfos().containsKey(partition))
        .map(disk -> Path.of(disk.getKey()))
        .toList();
  }

  /**
   * Makes every further file of the second disk fail, for any user, as when it is full; waits until
   * the broker has given it up and these partitions have no leader.
   */
  public void failSecond(Collection<TopicPartition> partitions) throws Exception {
    Files.move(second, away());
    Files.writeString(second, "");
    try (Admin admin = broker.admin()) {
      for (TopicPartition each : partitions) {
        await()
            .atMost(EmbeddedBroker.patience())
            .until(() -> EmbeddedBroker.leader(admin, each) < 0);
      }
    }
  }

  /** Gives the second disk back with all that it held, and restarts the broker, as one must. */
  public void repairSecond() throws IOException {
    broker.cluster().brokers().get(node).shutdown();
    Files.delete(second);
    Files.move(away(), second);
    broker.cluster().brokers().get(node).startup();
  }

  private Path away() {
    return second.resolveSibling(second.getFileName() + ".away");
  }
}
