package io.korpse.flink.source.reader.proxy;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Makes batches of what is buffered, in the chosen order, and keeps account of those that are out.
 * Confined to the fetcher thread.
 */
final class Handover {

  private final ProxyLimits limits;
  private final BufferBudget budget;
  private final SplitChooser chooser;
  private final OrderWait orderWait;
  private final Admission admission;
  private final Holdings holdings;
  private final ProxyStats stats;
  private final ReturnedBatches returns;
  private final Set<HandoverBatch> outstanding = new LinkedHashSet<>();

  /** Splits whose last run was taken, until a batch reports them. */
  private final Set<SplitBuffer> drained = new LinkedHashSet<>();

  /** The latest time that was handed over, and by how much a record was earlier than that. */
  private final RecentMax latest = new RecentMax(SplitBuffer.NO_TIME);

  private final RecentMax disorder = new RecentMax(0);

  Handover(
      ProxyLimits limits,
      BufferBudget budget,
      SplitChooser chooser,
      OrderWait orderWait,
      Admission admission,
      Holdings holdings,
      ProxyStats stats,
      ReturnedBatches returns) {
    this.limits = limits;
    this.budget = budget;
    this.chooser = chooser;
    this.orderWait = orderWait;
    this.admission = admission;
    this.holdings = holdings;
    this.stats = stats;
    this.returns = returns;
  }

  /** Whether another batch may go out. */
  boolean hasCredit() {
    return budget.batches() < limits.batches();
  }

  boolean hasOutstanding() {
    return !outstanding.isEmpty();
  }

  /** The next batch that came back, with its splits told; null when there is none. */
  HandoverBatch takeBack() {
    HandoverBatch batch = returns.poll();
    if (batch != null) {
      outstanding.remove(batch);
      batch.settle();
    }
    return batch;
  }

  /** The split has given its last run, and is reported with the next batch. */
  void drained(SplitBuffer split) {
    drained.add(split);
  }

  /**
   * The next batch, or null when there is nothing that may go now.
   *
   * @param leave takes the splits that the batch reports as finished out of the proxy
   */
  HandoverBatch compose(long nowNanos, Predicate<SplitBuffer> leave) {
    HandoverBatch batch = null;
    latest.roll(nowNanos);
    disorder.roll(nowNanos);
    chooser.keptOut(admission.keptOutSince());
    while (chooser.size() > 0 && (batch == null || !batch.isFull())) {
      long horizon = chooser.waits() ? orderWait.horizon(nowNanos) : Long.MAX_VALUE;
      SplitBuffer split = chooser.next(horizon, nowNanos);
      if (split == null) {
        break;
      }
      batch = batch == null ? newBatch() : batch;
      takeRun(batch, split, horizon, nowNanos);
    }
    if (batch == null && drained.isEmpty()) {
      if (chooser.size() > 0) {
        orderWait.blocked(outstanding.isEmpty(), nowNanos);
      } else {
        orderWait.unblocked(nowNanos);
      }
      return null;
    }
    orderWait.unblocked(nowNanos);
    batch = batch == null ? newBatch() : batch;
    if (!drained.isEmpty()) {
      batch.finish(leaving(leave));
    }
    outstanding.add(batch);
    budget.batchHandedOver();
    stats.batchComposed();
    stats.disorder(disorder.get());
    holdings.publish();
    return batch;
  }

  private HandoverBatch newBatch() {
    return new HandoverBatch(limits.batchRecords(), limits.batchBytes(), returns);
  }

  private void takeRun(HandoverBatch batch, SplitBuffer split, long horizon, long nowNanos) {
    int before = split.records();
    boolean ordered = chooser.waits() && !chooser.outOfTurn();
    if (before > 0 && ordered && split.headIsTimed() && split.headTime() < latest.get()) {
      disorder.add(latest.get() - split.headTime());
    }
    long taken = split.take(batch, chooser.runUntil(split, horizon), chooser.runBytes(split));
    if (chooser.outOfTurn()) {
      batch.outOfTurn();
    }
    holdings.handedOver(before - split.records(), taken);
    if (before > 0 && split.isUntimed()) {
      split.assumeTime(latest.get());
    } else if (ordered) {
      latest.add(split.lastTime());
    }
    chooser.served(split, taken, split.hasRun(), nowNanos);
    if (split.isEmpty() && !split.fetchFinished()) {
      orderWait.review(split, nowNanos);
      admission.emptied(split, nowNanos);
    }
    if (split.isDrained()) {
      drained.add(split);
    }
  }

  private Set<String> leaving(Predicate<SplitBuffer> leave) {
    Set<String> ids = new LinkedHashSet<>();
    for (SplitBuffer split : drained) {
      if (leave.test(split)) {
        ids.add(split.splitId());
      }
    }
    drained.clear();
    return ids;
  }

  /** Gives back what is out: after a close nobody else does for all of it. */
  void close() {
    for (HandoverBatch batch : outstanding) {
      if (batch.reclaim()) {
        budget.batchReturned(batch.bytes());
      }
    }
    outstanding.clear();
  }
}
