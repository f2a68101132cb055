package io.korpse.flink.source.reader.proxy;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * What one client knows of leaders, and the highest leader epoch that it ever saw of each
 * partition. An answer with an older epoch is ignored: an epoch that never existed, once seen,
 * leaves the partition without a leader for the life of the client.
 */
final class SimMetadata {

  private static final long BACKOFF_NANOS = 100_000_000L;

  private final SimCluster cluster;
  private final SimNetwork network;
  private final Map<TopicPartition, SimLeader> snapshot = new HashMap<>();
  private final Map<TopicPartition, Integer> lastSeen = new HashMap<>();
  private boolean needed;
  private boolean inFlight;
  private long notBefore;
  private long lookAgainAt;
  private int version;

  SimMetadata(SimCluster cluster, SimNetwork network) {
    this.cluster = cluster;
    this.network = network;
  }

  /** Counts the answers. */
  int version() {
    return version;
  }

  void request() {
    needed = true;
  }

  /** Asks for what is needed, unless the last question is too young. */
  void send() {
    if (!needed || inFlight) {
      return;
    }
    if (cluster.scheduler().getAsLong() < notBefore) {
      if (lookAgainAt != notBefore) {
        lookAgainAt = notBefore;
        network.lookAgainAt(notBefore);
      }
      return;
    }
    inFlight = true;
    needed = false;
    Map<TopicPartition, SimLeader> answer = new HashMap<>();
    network.ask(
        () -> answer.putAll(cluster.leaders()),
        () -> {
          inFlight = false;
          notBefore = cluster.scheduler().getAsLong() + BACKOFF_NANOS;
          version++;
          answer.forEach(this::update);
          // an answer without a leader is an error, after which the client asks again
          needed |= answer.values().stream().anyMatch(leader -> !leader.isPresent());
        });
  }

  /** What an error in a fetch response says about the leader. */
  void update(TopicPartition id, SimLeader leader) {
    Integer seen = lastSeen.get(id);
    if (seen == null || leader.epoch() >= seen) {
      lastSeen.put(id, leader.epoch());
      snapshot.put(id, leader);
    }
  }

  /** A position with an epoch was sought. */
  void seen(TopicPartition id, int epoch) {
    Integer seen = lastSeen.get(id);
    if (seen != null && epoch > seen) {
      lastSeen.put(id, epoch);
      request();
    }
  }

  SimLeader leader(TopicPartition id) {
    SimLeader leader = snapshot.getOrDefault(id, SimLeader.UNKNOWN);
    Integer seen = lastSeen.get(id);
    if (seen != null && leader.epoch() != seen) {
      return new SimLeader(SimPartition.NO_LEADER, seen);
    }
    return leader;
  }
}
