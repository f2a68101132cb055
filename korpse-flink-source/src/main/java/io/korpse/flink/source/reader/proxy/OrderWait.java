package io.korpse.flink.source.reader.proxy;

import java.util.Comparator;
import java.util.TreeSet;

/**
 * For which empty splits event-time order waits, and until when (KIP-695, with a bound).
 *
 * <p>A split is waited for only while its buffer is empty, it is known to have more on the broker,
 * it has no reason to pause, its records have timestamps, and its deadline has not passed. The
 * deadline is set once, when the split runs empty, and again only after it brought a record:
 * neither a position that moves over control records nor a pause that ends sets it anew. Over all,
 * waiting takes at most a tenth of any ten seconds; beyond that order is given up and counted. It
 * is a wait only while the task thread has nothing: with a batch on its way nobody is held up. And
 * it is one only from {@link #PROMPT_NANOS} after the split ran empty: what a broker answers within
 * that is the pace of fetching, and brings a whole response each time.
 *
 * <p>Deadlines are kept by a clock of their own, which counts what a broker had time to answer in.
 * It stands still until the first record: while the client connects nothing could be handed over,
 * and were that time counted, order would be given up the moment it begins to matter. And it
 * advances by one step at most when the thread did not run.
 *
 * <p>Waiting does not stop what is safe: records not later than the last known time of every split
 * that is waited for go on. Confined to the fetcher thread.
 */
class OrderWait {

  /** The deadline of a split that holds records. */
  static final long NO_DEADLINE = Long.MIN_VALUE;

  /** What a broker that has the records may take to answer. */
  static final long PROMPT_NANOS = 100_000_000L;

  /** A poll returns a little later than asked; with nothing left to pay, that must not add up. */
  static final long OVERSHOOT_NANOS = 2_000_000L;

  /** Twice the longest wait in one poll: more than that between two looks was no waiting. */
  private static final long MAX_STEP_NANOS = 200_000_000L;

  private final long limitNanos;
  private final long slackMillis;
  private final ProxyStats stats;
  private final WaitShare share;

  /** The splits that are waited for, the nearest deadline first. */
  private final TreeSet<SplitBuffer> waiting =
      new TreeSet<>(
          Comparator.<SplitBuffer>comparingLong(split -> split.waitDeadline)
              .thenComparing(SplitBuffer::splitId));

  private boolean blocked;
  private long blockedSince = -1;

  /** From when on the present wait counts. */
  private long paidFrom;

  private boolean exhausted;
  private long horizon = Long.MAX_VALUE;
  private boolean horizonStale;

  private boolean started;
  private long lookedAt;
  private long time;

  OrderWait(long limitNanos, long slackMillis, long nowNanos, ProxyStats stats) {
    this(limitNanos, slackMillis, nowNanos, stats, new WaitShare(nowNanos));
  }

  /** With a share that others may have a part in. */
  OrderWait(long limitNanos, long slackMillis, long nowNanos, ProxyStats stats, WaitShare share) {
    this.limitNanos = limitNanos;
    this.slackMillis = slackMillis;
    this.stats = stats;
    this.share = share;
    this.lookedAt = nowNanos;
    this.time = nowNanos;
  }

  /** The time by which deadlines are kept. */
  private long time(long nowNanos) {
    if (started) {
      time += Math.min(nowNanos - lookedAt, MAX_STEP_NANOS);
    }
    lookedAt = nowNanos;
    return time;
  }

  /**
   * The owner runs. Also while the task thread has enough: a split that the broker does not answer
   * for is not waited for any longer on that account.
   */
  void tick(long nowNanos) {
    time(nowNanos);
  }

  /** Looks at a split whose buffer, lag or pause changed. */
  void review(SplitBuffer split, long nowNanos) {
    long at = time(nowNanos);
    if (split.isEmpty() && split.waitDeadline == NO_DEADLINE) {
      split.waitDeadline = at + limitNanos;
    }
    boolean wait =
        split.isEmpty()
            && !split.pause.paused()
            && !split.fetchFinished()
            && !split.isUntimed()
            && split.knownLag() > 0
            && at < split.waitDeadline;
    if (!wait) {
      forget(split);
    } else if (!split.waitedFor) {
      split.waitedFor = true;
      waiting.add(split);
      horizonStale = true;
    }
  }

  /** The split brought a record. */
  void delivered(SplitBuffer split) {
    started = true;
    forget(split);
    split.waitDeadline = NO_DEADLINE;
  }

  void forget(SplitBuffer split) {
    if (split.waitedFor) {
      split.waitedFor = false;
      waiting.remove(split);
      horizonStale = true;
    }
  }

  /** No record later than this may go now; {@link Long#MAX_VALUE} when nothing is waited for. */
  long horizon(long nowNanos) {
    long at = time(nowNanos);
    giveUpExpired(at);
    if (waiting.isEmpty()) {
      exhausted = false;
      return Long.MAX_VALUE;
    }
    charge(nowNanos);
    if (freeLeft(at) == 0 && share.left(nowNanos) == 0) {
      if (!exhausted) {
        exhausted = true;
        stats.countOrderGivenUp();
      }
      return Long.MAX_VALUE;
    }
    exhausted = false;
    if (horizonStale) {
      horizon = Long.MAX_VALUE;
      for (SplitBuffer split : waiting) {
        horizon = Math.min(horizon, split.lastTime());
      }
      horizonStale = false;
    }
    return horizon > Long.MAX_VALUE - slackMillis ? Long.MAX_VALUE : horizon + slackMillis;
  }

  /** The earliest time that a split which is waited for may have; MAX_VALUE without any. */
  long earliest(long nowNanos) {
    return horizon(nowNanos) == Long.MAX_VALUE ? Long.MAX_VALUE : horizon;
  }

  private void giveUpExpired(long at) {
    while (!waiting.isEmpty()) {
      SplitBuffer first = waiting.first();
      if (at < first.waitDeadline) {
        return;
      }
      forget(first);
      stats.countOrderGivenUp();
    }
  }

  /**
   * Records are there but none may go.
   *
   * @param idle whether the task thread has nothing meanwhile: then the wait is paid for
   */
  void blocked(boolean idle, long nowNanos) {
    blocked = true;
    charge(nowNanos);
    blockedSince = idle ? nowNanos : -1;
    paidFrom = nowNanos + promptLeft(time(nowNanos));
  }

  /** For how long the split that is waited for longest may still be answered at no cost. */
  private long promptLeft(long at) {
    if (waiting.isEmpty()) {
      return 0;
    }
    long ranEmpty = waiting.first().waitDeadline - limitNanos;
    return Math.max(0, ranEmpty + promptNanos() - at);
  }

  long promptNanos() {
    return PROMPT_NANOS;
  }

  private long freeLeft(long at) {
    return Math.max(0, promptLeft(at) - OVERSHOOT_NANOS);
  }

  /** Something went, or there was nothing that could have gone. */
  void unblocked(long nowNanos) {
    charge(nowNanos);
    blocked = false;
    blockedSince = -1;
  }

  private void charge(long nowNanos) {
    if (blockedSince >= 0 && nowNanos > blockedSince) {
      share.add(Math.max(0, nowNanos - Math.max(blockedSince, paidFrom)), nowNanos);
      stats.orderWaited(nowNanos - blockedSince);
      blockedSince = nowNanos;
    }
  }

  /** How long a blocked owner may sleep before it has to look again; MAX_VALUE when not blocked. */
  long nanosToDeadline(long nowNanos) {
    if (!blocked || waiting.isEmpty()) {
      return Long.MAX_VALUE;
    }
    long at = time(nowNanos);
    long deadline = waiting.first().waitDeadline - at;
    return Math.max(0, Math.min(deadline, freeLeft(at) + share.left(nowNanos)));
  }

  int waiting() {
    return waiting.size();
  }
}
