package io.korpse.flink.source.enumerator;

import io.korpse.flink.source.split.KorpseSplit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * What the enumerator keeps in a checkpoint. Immutable.
 *
 * @param given partitions that were given to readers, finished ones too, each with the id of its
 *     topic ({@link Uuid#ZERO_UUID} when unknown); their positions are in the readers' state
 * @param ready splits that no reader has yet
 * @param waiting partitions that are known but have no offsets yet, and whose start policy is that
 *     of the first discovery
 * @param discovered whether the first discovery is done, after which partitions that appear are new
 *     ones
 * @param complete whether the set of partitions is final, as it is for a bounded source once
 *     discovered: a restore then looks for no others
 */
public record EnumeratorState(
    Map<TopicPartition, Uuid> given,
    List<KorpseSplit> ready,
    Set<TopicPartition> waiting,
    boolean discovered,
    boolean complete) {

  /** Copies its collections. */
  public EnumeratorState {
    given = Map.copyOf(given);
    ready = List.copyOf(ready);
    waiting = Set.copyOf(waiting);
  }

  /** The state before the first discovery. */
  static EnumeratorState empty() {
    return new EnumeratorState(Map.of(), List.of(), Set.of(), false, false);
  }
}
