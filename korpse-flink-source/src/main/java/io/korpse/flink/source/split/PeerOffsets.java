package io.korpse.flink.source.split;

/**
 * The start and stop of a split as Flink's own Kafka connector stored them, when one of them is a
 * marker instead of an offset. Such a split cannot be read yet: the reader asks the enumerator for
 * the numbers, and until they come a checkpoint holds the markers as they were.
 *
 * @param start an offset of at least 0, or {@link #LATEST}, {@link #EARLIEST}, {@link #COMMITTED}
 *     or {@link #NOT_STORED}
 * @param stop an offset of at least 0, or {@link #LATEST}, {@link #COMMITTED} or {@link #NO_STOP}
 */
public record PeerOffsets(long start, long stop) {

  /** The end of the log. */
  public static final long LATEST = -1;

  /** The start of the log. */
  public static final long EARLIEST = -2;

  /** The position of the consumer group. */
  public static final long COMMITTED = -3;

  /** As a start: the peer's enumerator knew the partition but stored no offset for it. */
  public static final long NOT_STORED = Long.MIN_VALUE;

  /** As a stop: none. */
  public static final long NO_STOP = Long.MIN_VALUE;

  /** Rejects what the peer never stores. */
  public PeerOffsets {
    if (start < COMMITTED && start != NOT_STORED) {
      throw new IllegalArgumentException("No version of Flink's connector starts at " + start);
    }
    if (stop < COMMITTED && stop != NO_STOP) {
      throw new IllegalArgumentException("No version of Flink's connector stops at " + stop);
    }
  }

  /** Whether both are numbers, or there is no stop. */
  public boolean resolved() {
    return start >= 0 && (stop >= 0 || stop == NO_STOP);
  }
}
