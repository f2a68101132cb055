package io.korpse.flink.source.reader;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Spreads the records of one reader over time. Never blocks: a reader that may not emit says that
 * nothing is available and from when on it is. Task thread.
 *
 * <p>Each record moves the time forward that was paid for (GCRA, the virtual form of a leaky
 * bucket); the reader may be ahead of the clock by a tenth of a second. It waits for half of that,
 * so that a high rate does not mean a wake-up for each record.
 */
final class RateLimit {

  private static final double BURST_NANOS = 100_000_000;

  /** A reader looks this often for other things than records, whatever the rate. */
  private static final double MAX_WAIT_NANOS = 1_000_000_000;

  private final double recordNanos;
  private final LongSupplier clock;
  private final long origin;

  /** Nanoseconds since the origin that the records so far take at the rate. */
  private double paidFor;

  RateLimit(double recordsPerSecond, LongSupplier clock) {
    this.recordNanos = 1e9 / recordsPerSecond;
    this.clock = clock;
    this.origin = clock.getAsLong();
  }

  /** Whether the next record may be emitted now. */
  boolean permits() {
    return paidFor - BURST_NANOS <= now();
  }

  /** A record was emitted. */
  void emitted() {
    paidFor = Math.max(paidFor, now()) + recordNanos;
  }

  /** How long to wait when the next record may not be emitted yet; a second at most. */
  long waitNanos() {
    double wait = Math.max(0, paidFor - BURST_NANOS / 2 - now());
    return (long) Math.ceil(Math.min(wait, MAX_WAIT_NANOS));
  }

  /** Completes after the wait. */
  CompletableFuture<Void> available() {
    return new CompletableFuture<Void>().completeOnTimeout(null, waitNanos(), TimeUnit.NANOSECONDS);
  }

  private double now() {
    return (double) (clock.getAsLong() - origin);
  }
}
