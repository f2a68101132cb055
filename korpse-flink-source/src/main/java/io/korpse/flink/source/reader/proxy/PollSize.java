package io.korpse.flink.source.reader.proxy;

/**
 * How many records a poll may return, fitted to the size that they really have.
 *
 * <p>The byte quota keeps the bound whatever the count; but what a poll withholds was decompressed
 * for nothing, so a count that is far too large is lowered, and raised again when records have
 * become small for a while. The count is fixed in a consumer: a change means a new one. Confined to
 * the fetcher thread.
 */
final class PollSize {

  /** Withheld records that are worth a new consumer, of one poll or of many. */
  private static final int WASTE = 16;

  /** So many splits make polls longer by as much again, see {@link #fitTo}. */
  private static final int SPLITS = 1_000;

  private static final int SMALL_POLLS = 64;
  private static final long REBUILD_NANOS = 10_000_000_000L;

  private int max;
  private final boolean fixed;
  private int count;
  private int smallPolls;

  /** By how many records polls withheld more than they brought. */
  private int wasted;

  private long changedAt;

  PollSize(int max, boolean fixed) {
    this.max = max;
    this.fixed = fixed;
    this.count = max;
  }

  /**
   * Lets a poll return more when there are thousands of splits: each poll makes the client go
   * through all of them. Before there is a consumer.
   */
  void fitTo(int splits) {
    if (!fixed) {
      max *= 1 + splits / SPLITS;
      count = max;
    }
  }

  int count() {
    return count;
  }

  /**
   * Looks at a poll.
   *
   * @return whether the consumer is to be replaced by one with the new {@link #count()}
   */
  boolean review(int kept, int withheld, long usedBytes, long quotaBytes, long nowNanos) {
    if (fixed) {
      return false;
    }
    wasted = Math.max(0, wasted + withheld - kept);
    if (withheld > kept && Math.max(withheld, wasted) >= WASTE) {
      int fitting = Math.max(1, kept);
      smallPolls = 0;
      wasted = 0;
      if (fitting < count) {
        count = fitting;
        changedAt = nowNanos;
        return true;
      }
      return false;
    }
    if (count == max) {
      return false;
    }
    smallPolls = kept >= count && usedBytes * 8 < quotaBytes ? smallPolls + 1 : 0;
    if (smallPolls >= SMALL_POLLS && nowNanos - changedAt > REBUILD_NANOS) {
      smallPolls = 0;
      changedAt = nowNanos;
      count = (int) Math.min(max, count * 8L);
      return true;
    }
    return false;
  }
}
