package io.korpse.flink.source.enumerator;

import java.time.Clock;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/** A look at the cluster and how long it took. Taken on the worker thread. */
record Look(Discovered found, long millis) {

  /**
   * Looks for what is subscribed to, and then for those of the known partitions that are read on
   * without that: nothing else would tell that their topics are gone.
   */
  static Look take(Cluster cluster, RemovalPolicies removal, Set<TopicPartition> known, Clock clock)
      throws Exception {
    long start = clock.millis();
    Discovered found = cluster.discover();
    Set<TopicPartition> kept = removal.kept(known, found);
    if (!kept.isEmpty()) {
      found = found.withKept(cluster.existing(kept));
    }
    return new Look(found, clock.millis() - start);
  }
}
