package io.korpse.flink.source.reader.proxy;

/**
 * How far a run may go beyond the next split's head.
 *
 * <p>With records of every split at hand that is how much the output is out of order, and stays
 * what the user set. When the budget keeps splits out, records as early as the last known time of
 * those may come later, whatever is done now. To be strict among the others would cost a run for
 * each record and win nothing, so the slack grows to an eighth of that: the output gets worse by an
 * eighth at most. Confined to the fetcher thread.
 */
final class OrderSlack {

  private static final int SHARE = 8;

  private final long leastMillis;
  private final long mostMillis;
  private final ProxyStats stats;
  private long keptOutSince = Long.MAX_VALUE;
  private long shown = -1;

  OrderSlack(long leastMillis, long mostMillis, ProxyStats stats) {
    this.leastMillis = leastMillis;
    this.mostMillis = Math.max(leastMillis, mostMillis);
    this.stats = stats;
  }

  /** Splits are kept out whose next record may be of this time; MAX_VALUE when none is. */
  void keptOut(long earliestTime) {
    keptOutSince = earliestTime;
  }

  /** The last time of a run beside a split whose head is {@code nextHead}. */
  long runUntil(long head, long nextHead) {
    long slack = at(head);
    if (slack != shown) {
      shown = slack;
      stats.orderSlack(slack);
    }
    return nextHead > Long.MAX_VALUE - slack ? Long.MAX_VALUE : nextHead + slack;
  }

  private long at(long head) {
    if (keptOutSince >= head) {
      return leastMillis;
    }
    long lost = head - keptOutSince;
    // One that never gave a record may hold any time.
    return lost < 0 ? mostMillis : Math.max(leastMillis, Math.min(mostMillis, lost / SHARE));
  }
}
