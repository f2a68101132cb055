package io.korpse.flink.source.reader;

import java.util.HashMap;
import java.util.Map;

/**
 * Which of the reader's consumers reads which split: a new one goes to the consumer that has the
 * fewest, the first of those, and stays there until it leaves. A split cannot move: what its
 * consumer has buffered of it would have to move too. Task thread.
 */
final class SplitSpread {

  static final int NOWHERE = -1;

  private final int[] counts;
  private final Map<String, Integer> lanes = new HashMap<>();

  SplitSpread(int consumers) {
    counts = new int[consumers];
  }

  int consumers() {
    return counts.length;
  }

  /** The consumer of a split, which is given one if it has none. */
  int place(String splitId) {
    Integer known = lanes.get(splitId);
    if (known != null) {
      return known;
    }
    int least = 0;
    for (int lane = 1; lane < counts.length; lane++) {
      if (counts[lane] < counts[least]) {
        least = lane;
      }
    }
    counts[least]++;
    lanes.put(splitId, least);
    return least;
  }

  /** The consumer of a split, {@link #NOWHERE} when it is not here. */
  int laneOf(String splitId) {
    return lanes.getOrDefault(splitId, NOWHERE);
  }

  /** The split left; returns the consumer that it had, or {@link #NOWHERE}. */
  int remove(String splitId) {
    Integer lane = lanes.remove(splitId);
    if (lane == null) {
      return NOWHERE;
    }
    counts[lane]--;
    return lane;
  }
}
