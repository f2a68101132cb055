package io.korpse.flink.source.reader.proxy;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The client's end of the network: what has arrived waits here until a poll handles it, as the
 * single-threaded client does.
 */
final class SimNetwork {

  private final SimCluster cluster;
  private final Deque<Runnable> arrived = new ArrayDeque<>();

  SimNetwork(SimCluster cluster) {
    this.cluster = cluster;
  }

  /** An action that belongs to the polling thread, run by the next poll. */
  void arrive(Runnable action) {
    arrived.add(action);
  }

  /** Asks a broker something: there, then back. */
  void ask(Runnable atBroker, Runnable atClient) {
    cluster.send(
        () -> {
          atBroker.run();
          cluster.send(() -> arrive(atClient));
        });
  }

  /** Makes a poll that is waiting look again after some time. */
  void lookAgainAt(long nanos) {
    cluster.scheduler().at(nanos, () -> arrive(() -> {}));
  }

  boolean isIdle() {
    return arrived.isEmpty();
  }

  /** Handles what has arrived. */
  void handle() {
    for (Runnable next = arrived.poll(); next != null; next = arrived.poll()) {
      next.run();
    }
  }
}
