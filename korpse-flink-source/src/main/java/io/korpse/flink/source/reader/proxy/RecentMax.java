package io.korpse.flink.source.reader.proxy;

import java.time.Duration;

/**
 * The largest value of the last one to two minutes, so that one that was wrong is forgotten.
 * Confined to one thread.
 */
final class RecentMax {

  static final Duration WINDOW = Duration.ofMinutes(1);

  private final long none;
  private long current;
  private long before;
  private long since;
  private boolean started;

  /** Empty; {@code none} is below every value. */
  RecentMax(long none) {
    this.none = none;
    this.current = none;
    this.before = none;
  }

  /** Forgets what is too old. */
  void roll(long nowNanos) {
    long age = nowNanos - since;
    if (!started || age >= WINDOW.toNanos()) {
      before = started && age < 2 * WINDOW.toNanos() ? current : none;
      current = none;
      since = nowNanos;
      started = true;
    }
  }

  void add(long value) {
    current = Math.max(current, value);
  }

  long get() {
    return Math.max(current, before);
  }
}
