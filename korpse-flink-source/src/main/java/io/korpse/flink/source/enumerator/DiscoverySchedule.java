package io.korpse.flink.source.enumerator;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * When the next discovery is due, and which losses are certain. Confined to the coordinator thread.
 *
 * <p>A broker that has just started, or lags behind the controller, may not know a topic that
 * exists. So nothing counts as gone before two discoveries in a row, a second apart, have missed
 * it.
 */
final class DiscoverySchedule {

  private static final long RECHECK_MILLIS = 1_000;
  private static final long MAX_BACKOFF_MILLIS = 30_000;

  private final Duration interval;
  private final int tolerated;
  private long dueMillis = Long.MIN_VALUE;
  private int failures;
  private boolean succeeded;
  private Set<String> suspects = new HashSet<>();

  DiscoverySchedule(Duration interval, int tolerated) {
    this.interval = interval;
    this.tolerated = tolerated;
  }

  /** An interval may be as long as never. */
  private long afterInterval(long nowMillis) {
    return nowMillis + Math.min(interval.toMillis(), Long.MAX_VALUE - nowMillis);
  }

  boolean due(long nowMillis) {
    return nowMillis >= dueMillis;
  }

  /** All was found before a restore: there is no first discovery. */
  void found(long nowMillis) {
    succeeded = true;
    dueMillis = afterInterval(nowMillis);
  }

  /** Looks at once, unless the last look failed: a reader that suspects asks once a second. */
  void soon() {
    if (failures == 0) {
      dueMillis = Long.MIN_VALUE;
    }
  }

  /**
   * Takes note of a failure.
   *
   * @return whether it can be tolerated
   */
  boolean failed(long nowMillis) {
    failures++;
    long backoff = RECHECK_MILLIS << Math.min(failures - 1, 5);
    dueMillis = nowMillis + Math.min(backoff, MAX_BACKOFF_MILLIS);
    return succeeded && failures <= tolerated;
  }

  int failures() {
    return failures;
  }

  /**
   * Takes note of a success and of what it missed.
   *
   * @return what of it is certain
   */
  Set<String> succeeded(Set<String> missing, long nowMillis) {
    succeeded = true;
    failures = 0;
    Set<String> certain = new HashSet<>(missing);
    certain.retainAll(suspects);
    suspects = new HashSet<>(missing);
    suspects.removeAll(certain);
    if (!suspects.isEmpty()) {
      dueMillis = nowMillis + RECHECK_MILLIS;
    } else {
      dueMillis = afterInterval(nowMillis);
    }
    return certain;
  }

  /** Whether something was missed once and is looked for again soon. */
  boolean rechecks() {
    return !suspects.isEmpty();
  }
}
