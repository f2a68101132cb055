package io.korpse.flink.source.reader.proxy;

/**
 * Which split gives the next run of records. Knows the splits that have a run and may be served.
 *
 * <p>Every method costs at most the logarithm of the number of splits. Confined to the fetcher
 * thread.
 */
interface SplitChooser {

  /**
   * The split has a run to give and may be served. When it is known already, only its head may be
   * another.
   */
  void ready(SplitBuffer split, long nowNanos);

  /** The split is empty, held back or gone. No effect when not known. */
  void notReady(SplitBuffer split);

  /**
   * The split to serve next, or null when none is ready.
   *
   * @param horizon no split is served whose head is later, since an earlier record may still come;
   *     {@link Long#MAX_VALUE} when nothing is waited for. Ignored by orders that do not wait.
   */
  SplitBuffer next(long horizon, long nowNanos);

  /** The last timestamp that the run of the split that {@link #next} gave may hold. */
  long runUntil(SplitBuffer split, long horizon);

  /** The most bytes that the run of the split that {@link #next} gave may hold. */
  long runBytes(SplitBuffer split);

  /** A run of that split was taken; tells the chooser whether it is still ready. */
  void served(SplitBuffer split, long takenBytes, boolean stillReady, long nowNanos);

  /**
   * Empty splits are kept out whose next record may be of this time, {@link SplitBuffer#NO_TIME}
   * for any; {@link Long#MAX_VALUE} when none is. Ignored by orders that do not go by time.
   */
  default void keptOut(long earliestTime) {}

  /**
   * Whether {@link #next} gave that split only since it was held back for too long, although
   * another one is earlier.
   */
  default boolean outOfTurn() {
    return false;
  }

  /**
   * The earliest time of what is ready; {@link Long#MAX_VALUE} without. Only of orders that wait.
   */
  default long earliest() {
    return Long.MAX_VALUE;
  }

  /** Whether a ready split was not served for the longest time allowed. */
  default boolean isOverdue(long nowNanos) {
    return false;
  }

  /** Whether this order waits for empty splits that are known to have more on the broker. */
  boolean waits();

  /** Ready splits. */
  int size();
}
