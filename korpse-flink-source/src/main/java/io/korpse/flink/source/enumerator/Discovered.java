package io.korpse.flink.source.enumerator;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * What one discovery found.
 *
 * @param partitions the partitions to read that exist, each with the id of its topic ({@link
 *     Uuid#ZERO_UUID} when the broker gives none)
 * @param missing what was asked for by name and does not exist: topics or partitions, as text
 * @param kept of the partitions that are read on without a subscription those that exist, each with
 *     the id of its topic
 */
record Discovered(
    Map<TopicPartition, Uuid> partitions, Set<String> missing, Map<TopicPartition, Uuid> kept) {

  static final Discovered NOTHING = new Discovered(Map.of(), Set.of());

  Discovered {
    partitions = Map.copyOf(partitions);
    missing = Set.copyOf(missing);
    kept = Map.copyOf(kept);
  }

  Discovered(Map<TopicPartition, Uuid> partitions, Set<String> missing) {
    this(partitions, missing, Map.of());
  }

  Discovered withKept(Map<TopicPartition, Uuid> existing) {
    return new Discovered(partitions, missing, existing);
  }

  /** The first of these by name, for messages. */
  static String some(Set<TopicPartition> partitions) {
    List<String> names = partitions.stream().map(TopicPartition::toString).sorted().toList();
    return names.size() <= 20 ? names.toString() : names.subList(0, 20) + "...";
  }
}
