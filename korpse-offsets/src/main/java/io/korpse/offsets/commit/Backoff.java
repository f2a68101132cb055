package io.korpse.offsets.commit;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/** Exponential waiting times with jitter, so that a thousand readers do not come back at once. */
final class Backoff {

  private static final double JITTER = 0.25;

  private final long firstMillis;
  private final long longestMillis;
  private final DoubleSupplier random;

  /**
   * Doubles from {@code first} to {@code longest}.
   *
   * @param random gives numbers from 0 to 1
   */
  Backoff(Duration first, Duration longest, DoubleSupplier random) {
    this.firstMillis = first.toMillis();
    this.longestMillis = longest.toMillis();
    this.random = random;
  }

  /** Milliseconds to wait after so many failures in a row, at least one. */
  long millis(int failures) {
    int doublings = Math.min(30, Math.max(0, failures - 1));
    return jitter(Math.min(longestMillis, firstMillis << doublings));
  }

  /** The duration, a little longer or shorter. */
  long jitter(long millis) {
    return Math.max(1, Math.round(millis * (1 - JITTER + 2 * JITTER * random.getAsDouble())));
  }
}
