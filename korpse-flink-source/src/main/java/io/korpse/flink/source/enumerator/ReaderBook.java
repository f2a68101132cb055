package io.korpse.flink.source.enumerator;

import static java.util.stream.Collectors.toSet;

import io.korpse.flink.source.split.KorpseSplit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;

/**
 * Which reader has how many splits, which one gets the next, and which ones know that there are no
 * more. Confined to the coordinator thread.
 *
 * <p>A reader counts as there once it has said what its state held: before that its load is not
 * known, and a split of it that was removed meanwhile could meet its successor.
 */
final class ReaderBook {

  private final Map<Integer, Set<TopicPartition>> owned = new TreeMap<>();
  private final Set<Integer> present = new HashSet<>();
  private final Set<Integer> told = new HashSet<>();
  private final Map<TopicPartition, Integer> planned = new HashMap<>();
  private final Set<Integer> idle = new HashSet<>();
  private final boolean restored;

  /**
   * A book without readers.
   *
   * @param restored whether readers may have splits that the enumerator has not given them
   */
  ReaderBook(boolean restored) {
    this.restored = restored;
  }

  /** A new attempt of a reader: what was known of the last one no longer counts. */
  void registered(int reader) {
    present.remove(reader);
    told.remove(reader);
    idle.remove(reader);
    owned.remove(reader);
  }

  /** Readers that Flink no longer knows have failed: they get nothing before they report again. */
  void retain(Set<Integer> registered) {
    present.retainAll(registered);
  }

  void reported(int reader, Collection<TopicPartition> partitions) {
    present.add(reader);
    owned.put(reader, new HashSet<>(partitions));
  }

  /** Another attempt of a reader beside those that there are: it has what they were given. */
  void joined(int reader) {
    present.add(reader);
    idle.remove(reader);
    owned.computeIfAbsent(reader, ignored -> new HashSet<>());
  }

  void finished(int reader, Collection<TopicPartition> partitions) {
    Set<TopicPartition> has = owned.get(reader);
    if (has != null) {
      has.removeAll(partitions);
    }
  }

  Set<Integer> present() {
    return present;
  }

  /** Whether a reader may still have the partition. */
  boolean mayBeOwned(TopicPartition partition, int parallelism) {
    return !allPresent(parallelism) || isOwned(partition);
  }

  /** Whether the partition was given to another reader after this one had left it. */
  boolean otherHas(TopicPartition partition, int reader) {
    return owned.entrySet().stream()
        .anyMatch(other -> other.getKey() != reader && other.getValue().contains(partition));
  }

  // A split that was taken away keeps its id until its reader has let go of it.
  boolean isOwned(TopicPartition partition) {
    return owned.values().stream().anyMatch(partitions -> partitions.contains(partition));
  }

  /** Splits that a failed reader had go back to it, since the others may be through already. */
  void returned(int reader, Collection<KorpseSplit> splits) {
    splits.forEach(split -> planned.put(split.partition(), reader));
  }

  /**
   * The ready splits that can be given away now, by reader: each goes to the reader that has the
   * fewest, counting what is planned for readers that are not there yet.
   */
  Map<Integer, List<KorpseSplit>> plan(Collection<KorpseSplit> ready, int parallelism) {
    Map<Integer, List<KorpseSplit>> assignment = new TreeMap<>();
    planned.keySet().retainAll(ready.stream().map(KorpseSplit::partition).collect(toSet()));
    boolean loadsKnown = !restored || allPresent(parallelism);
    int[] load = loads(parallelism);
    for (KorpseSplit split : ready) {
      Integer reader = planned.get(split.partition());
      if (reader == null || reader >= parallelism) {
        if (!loadsKnown) {
          continue;
        }
        reader = least(load);
        load[reader]++;
        planned.put(split.partition(), reader);
      }
      if (present.contains(reader) && !isOwned(split.partition())) {
        assignment.computeIfAbsent(reader, ignored -> new ArrayList<>()).add(split);
      }
    }
    return assignment;
  }

  void given(int reader, KorpseSplit split) {
    planned.remove(split.partition());
    owned.computeIfAbsent(reader, ignored -> new HashSet<>()).add(split.partition());
  }

  /** Whether a split is still to come for the reader. */
  boolean awaits(int reader) {
    return planned.containsValue(reader);
  }

  /** Whether every ready split has a reader that it will go to. */
  boolean plannedAll(Collection<KorpseSplit> ready) {
    return ready.stream().allMatch(split -> planned.containsKey(split.partition()));
  }

  /** The readers that are there and have not been told that there are no more splits. */
  List<Integer> untold() {
    return present.stream().filter(reader -> !told.contains(reader)).sorted().toList();
  }

  /** The readers that have become empty since the last call, and will stay so for now. */
  List<Integer> newlyIdle() {
    List<Integer> found = new ArrayList<>();
    for (int reader : present) {
      boolean empty = owned.getOrDefault(reader, Set.of()).isEmpty() && !awaits(reader);
      if (!empty || told.contains(reader)) {
        idle.remove(reader);
      } else if (idle.add(reader)) {
        found.add(reader);
      }
    }
    return found;
  }

  void told(int reader) {
    told.add(reader);
  }

  private boolean allPresent(int parallelism) {
    return present.size() >= parallelism;
  }

  private int[] loads(int parallelism) {
    int[] load = new int[parallelism];
    owned.forEach(
        (reader, partitions) -> {
          if (reader < parallelism) {
            load[reader] += partitions.size();
          }
        });
    planned.values().stream().filter(reader -> reader < parallelism).forEach(r -> load[r]++);
    return load;
  }

  private static int least(int[] load) {
    int best = 0;
    for (int reader = 1; reader < load.length; reader++) {
      if (load[reader] < load[best]) {
        best = reader;
      }
    }
    return best;
  }
}
