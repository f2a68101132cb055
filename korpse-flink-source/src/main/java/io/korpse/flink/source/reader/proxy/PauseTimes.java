package io.korpse.flink.source.reader.proxy;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How many splits are paused, and for how long splits were, by reason. Readable from any thread.
 */
@SuppressWarnings("EnumOrdinal") // the reasons index arrays
public final class PauseTimes {

  private final AtomicLongArray nanos = new AtomicLongArray(PauseReason.values().length);
  private final AtomicLongArray pauses = new AtomicLongArray(PauseReason.values().length);
  private final AtomicInteger pausedSplits = new AtomicInteger();

  void add(PauseReason reason, long pausedNanos) {
    nanos.addAndGet(reason.index(), pausedNanos);
    pauses.incrementAndGet(reason.index());
  }

  void splitPaused(int change) {
    pausedSplits.addAndGet(change);
  }

  /** Splits that are paused now, whatever the reason. */
  public int pausedSplits() {
    return pausedSplits.get();
  }

  /** Milliseconds of ended pauses for this reason, summed over all splits. */
  public long pausedMillis(PauseReason reason) {
    return nanos.get(reason.index()) / 1_000_000;
  }

  /** Pauses for this reason that have ended. */
  public long pauses(PauseReason reason) {
    return pauses.get(reason.index());
  }
}
