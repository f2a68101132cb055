package io.korpse.flink.jobs.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Plans faults: the same seed, time and kinds give the same plan. */
final class Schedule {

  private static final long FIRST_MILLIS = 5_000;
  private static final int GAP_MILLIS = 15_000;
  private static final int SHORTEST_MILLIS = 1_000;
  private static final int LONGEST_MILLIS = 12_000;

  /** Kafka's clients give a request up after 30 s. */
  private static final int LONG_CUT_MILLIS = 40_000;

  private Schedule() {}

  /**
   * A plan of at least one fault. No kind comes again before all others have come.
   *
   * @param seed of the random choices
   * @param time in which faults begin
   * @param kinds what may happen
   */
  static List<Fault> of(long seed, Duration time, List<FaultKind> kinds) {
    Random random = new Random(seed);
    List<Fault> faults = new ArrayList<>();
    List<FaultKind> left = new ArrayList<>();
    long at = FIRST_MILLIS;
    do {
      if (left.isEmpty()) {
        left.addAll(kinds);
        Collections.shuffle(left, random);
      }
      FaultKind kind = left.remove(left.size() - 1);
      int choice = random.nextInt(Integer.MAX_VALUE);
      int lasts = SHORTEST_MILLIS + random.nextInt(LONGEST_MILLIS - SHORTEST_MILLIS);
      faults.add(new Fault(kind, at, choice, kind == FaultKind.CUT_LONG ? LONG_CUT_MILLIS : lasts));
      at += GAP_MILLIS / 2 + random.nextInt(GAP_MILLIS);
    } while (at < time.toMillis());
    return faults;
  }
}
