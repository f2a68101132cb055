package io.korpse.flink.source.enumerator;

import io.korpse.flink.source.split.KorpseSplit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * Which partitions the enumerator knows, each in exactly one place: waiting for its offsets, ready
 * for a reader, given to one (or finished), or leaving, which is given and being taken back.
 * Confined to the coordinator thread.
 */
final class PartitionBook {

  /** A partition without offsets. */
  record Waiting(Uuid topicId, boolean initial) {}

  /**
   * How a discovery differs from what was known.
   *
   * @param added partitions that were not known
   * @param gone known partitions that are no longer there
   * @param recreated known partitions whose topic has another id now
   */
  record Changes(
      Map<TopicPartition, Uuid> added,
      Set<TopicPartition> gone,
      Map<TopicPartition, Uuid> recreated) {}

  private final Map<TopicPartition, Uuid> given = new HashMap<>();
  private final Map<TopicPartition, KorpseSplit> ready = new LinkedHashMap<>();
  private final Map<TopicPartition, Waiting> waiting = new LinkedHashMap<>();
  private final Map<TopicPartition, Uuid> leaving = new HashMap<>();
  private final Set<TopicPartition> removed = new HashSet<>();
  private boolean discovered;
  private boolean complete;

  /**
   * A book of what a state holds.
   *
   * @param bounded whether the set of partitions may be final; the state can be of a source that
   *     was bounded and no longer is
   */
  PartitionBook(EnumeratorState state, boolean bounded) {
    given.putAll(state.given());
    state.ready().forEach(split -> ready.put(split.partition(), split));
    state.waiting().forEach(partition -> waiting.put(partition, new Waiting(Uuid.ZERO_UUID, true)));
    discovered = state.discovered();
    complete = state.complete() && bounded;
  }

  /**
   * A leaving partition is kept as given: after a restore its reader may still have it. One that
   * came later and waits is left out, and found again by the look after a restore; until it has its
   * offsets the set of partitions is not final.
   */
  EnumeratorState snapshot() {
    Map<TopicPartition, Uuid> assigned = new HashMap<>(given);
    assigned.putAll(leaving);
    Set<TopicPartition> initial = new HashSet<>();
    waiting.forEach(
        (partition, entry) -> {
          if (entry.initial()) {
            initial.add(partition);
          }
        });
    boolean whole = initial.size() == waiting.size();
    return new EnumeratorState(
        assigned, List.copyOf(ready.values()), initial, discovered, complete && whole);
  }

  Changes compare(Discovered found) {
    Map<TopicPartition, Uuid> added = new HashMap<>(found.partitions());
    added.keySet().removeIf(partition -> topicId(partition).isPresent());
    Map<TopicPartition, Uuid> recreated = new HashMap<>();
    Set<TopicPartition> gone = known();
    for (Map<TopicPartition, Uuid> there : List.of(found.partitions(), found.kept())) {
      gone.removeAll(there.keySet());
      there.forEach((partition, id) -> recognize(partition, id, recreated));
    }
    return new Changes(added, gone, recreated);
  }

  private void recognize(TopicPartition partition, Uuid id, Map<TopicPartition, Uuid> recreated) {
    topicId(partition)
        .ifPresent(
            known -> {
              if (differ(known, id)) {
                recreated.put(partition, id);
              } else {
                learn(partition, id);
              }
            });
  }

  /** All partitions but those that are leaving; a copy. */
  Set<TopicPartition> known() {
    Set<TopicPartition> known = new HashSet<>(given.keySet());
    known.addAll(ready.keySet());
    known.addAll(waiting.keySet());
    return known;
  }

  /** Takes partitions in; those of the first discovery are initial ones. */
  void add(Map<TopicPartition, Uuid> partitions) {
    partitions.forEach((partition, id) -> waiting.put(partition, new Waiting(id, !discovered)));
  }

  /** Notes that a discovery was applied; a final one has found all that there will ever be. */
  void discovered(boolean isFinal) {
    discovered = true;
    complete = isFinal;
  }

  boolean isDiscovered() {
    return discovered;
  }

  boolean isComplete() {
    return complete;
  }

  /**
   * Lets go of a partition.
   *
   * @return whether a reader has it, so that it is leaving until {@link #left}
   */
  boolean remove(TopicPartition partition) {
    ready.remove(partition);
    waiting.remove(partition);
    Uuid id = given.remove(partition);
    if (id != null) {
      leaving.put(partition, id);
      removed.add(partition);
    }
    return id != null;
  }

  /** All that readers were given and had to let go of, in this run. */
  Set<TopicPartition> removed() {
    return removed;
  }

  Set<TopicPartition> leaving() {
    return leaving.keySet();
  }

  void left(TopicPartition partition) {
    leaving.remove(partition);
  }

  /** The partitions that wait for offsets. */
  Map<TopicPartition, Waiting> waiting() {
    return waiting;
  }

  /** Puts a split that now has its offsets where readers can be given it. */
  void ready(KorpseSplit split) {
    waiting.remove(split.partition());
    ready.put(split.partition(), split);
  }

  Collection<KorpseSplit> ready() {
    return ready.values();
  }

  boolean isReady(TopicPartition partition) {
    return ready.containsKey(partition);
  }

  /** Whether no reader has had it yet. */
  boolean isToCome(TopicPartition partition) {
    return isReady(partition) || waiting.containsKey(partition);
  }

  int givenCount() {
    return given.size();
  }

  /** Moves a ready split to those that a reader has. */
  void give(KorpseSplit split) {
    ready.remove(split.partition());
    given.put(split.partition(), split.topicId());
  }

  /** Takes splits back that a failed reader had not yet in a checkpoint. */
  List<KorpseSplit> takeBack(Collection<KorpseSplit> splits) {
    List<KorpseSplit> back = new ArrayList<>();
    for (KorpseSplit split : splits) {
      Uuid id = given.get(split.partition());
      if (id != null && !differ(id, split.topicId())) {
        given.remove(split.partition());
        ready.put(split.partition(), split);
        back.add(split);
      }
    }
    return back;
  }

  /**
   * Takes note of a split that a reader restored.
   *
   * @return false if the reader must not read it: it was removed, or is of a topic that has been
   *     created again since
   */
  boolean adopt(KorpseSplit split) {
    TopicPartition partition = split.partition();
    Uuid id = given.get(partition);
    if (id != null) {
      return !differ(id, split.topicId());
    } else if (removed.contains(partition) || leaving.containsKey(partition)) {
      return false;
    }
    ready.remove(partition);
    waiting.remove(partition);
    given.put(partition, split.topicId());
    return true;
  }

  private Optional<Uuid> topicId(TopicPartition partition) {
    if (given.containsKey(partition)) {
      return Optional.of(given.get(partition));
    } else if (ready.containsKey(partition)) {
      return Optional.of(ready.get(partition).topicId());
    } else if (waiting.containsKey(partition)) {
      return Optional.of(waiting.get(partition).topicId());
    }
    return leaving.containsKey(partition) ? Optional.of(Uuid.ZERO_UUID) : Optional.empty();
  }

  private void learn(TopicPartition partition, Uuid id) {
    if (id.equals(Uuid.ZERO_UUID)) {
      // From a broker older than 2.8, as in the middle of an upgrade: what is known stays.
      return;
    }
    given.replace(partition, id);
    ready.computeIfPresent(partition, (ignored, split) -> split.withTopicId(id));
    waiting.computeIfPresent(partition, (ignored, entry) -> new Waiting(id, entry.initial()));
  }

  private static boolean differ(Uuid known, Uuid now) {
    return !known.equals(Uuid.ZERO_UUID) && !now.equals(Uuid.ZERO_UUID) && !known.equals(now);
  }
}
