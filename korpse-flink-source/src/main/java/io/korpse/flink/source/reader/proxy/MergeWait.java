package io.korpse.flink.source.reader.proxy;

import java.util.Collection;

/**
 * For which proxy that has nothing handed over event-time order waits, and until when: the rules of
 * {@link OrderWait}, for lanes instead of splits.
 *
 * <p>A lane is waited for from when it ran empty until the limit, and again only after it gave a
 * record. What goes beyond the first 100 ms counts against the share that the reader's proxies have
 * together; not so the wait for a lane that has given nothing yet, as its client may still connect.
 * Task thread.
 */
final class MergeWait {

  private final long limitNanos;
  private final WaitShare share;
  private final ProxyStats stats;

  private long blockedSince = -1;
  private long paidFrom;

  MergeWait(long limitNanos, WaitShare share, ProxyStats stats) {
    this.limitNanos = limitNanos;
    this.share = share;
    this.stats = stats;
  }

  /** The lane has given a record. */
  void delivered(MergeLane lane) {
    lane.waitDeadline = OrderWait.NO_DEADLINE;
    lane.givenUp = false;
    lane.goneOn = false;
  }

  /** Whether order may wait for the lane, which has nothing here. */
  boolean mayWait(MergeLane lane, long nowNanos) {
    if (lane.waitDeadline == OrderWait.NO_DEADLINE) {
      lane.waitDeadline = nowNanos + limitNanos;
    }
    if (lane.awaited() == MergeLane.NOTHING || lane.givenUp) {
      return false;
    }
    if (nowNanos >= lane.waitDeadline) {
      lane.givenUp = true;
      stats.countOrderGivenUp();
      return false;
    }
    if (freeLeft(lane, nowNanos) > 0 || share.left(nowNanos) > 0) {
      return true;
    }
    if (!lane.goneOn) {
      lane.goneOn = true;
      stats.countOrderGivenUp();
    }
    return false;
  }

  private long freeLeft(MergeLane lane, long nowNanos) {
    return Math.max(0, prompt(lane) - OrderWait.OVERSHOOT_NANOS - nowNanos);
  }

  /** Until when the wait for a lane costs nothing. */
  private long prompt(MergeLane lane) {
    return lane.isNew()
        ? lane.waitDeadline
        : lane.waitDeadline - limitNanos + OrderWait.PROMPT_NANOS;
  }

  /** Records are there but none may go, because of these lanes. */
  void blocked(Collection<MergeLane> on, long nowNanos) {
    charge(nowNanos);
    blockedSince = nowNanos;
    paidFrom = nowNanos;
    for (MergeLane lane : on) {
      paidFrom = Math.max(paidFrom, prompt(lane));
    }
  }

  /** How long the wait for these may last before there is something to decide. */
  long nanosToDecision(Collection<MergeLane> on, long nowNanos) {
    long nanos = Long.MAX_VALUE;
    for (MergeLane lane : on) {
      long paid = freeLeft(lane, nowNanos) + share.left(nowNanos);
      nanos = Math.min(nanos, Math.min(lane.waitDeadline - nowNanos, paid));
    }
    return Math.max(0, nanos);
  }

  /** Something goes, or there is nothing. */
  void unblocked(long nowNanos) {
    charge(nowNanos);
    blockedSince = -1;
  }

  private void charge(long nowNanos) {
    if (blockedSince >= 0 && nowNanos > blockedSince) {
      share.add(Math.max(0, nowNanos - Math.max(blockedSince, paidFrom)), nowNanos);
      stats.orderWaited(nowNanos - blockedSince);
      blockedSince = nowNanos;
    }
  }
}
