package io.korpse.flink.source.reader.proxy;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * One Kafka consumer, one bounded buffer per split, and a pause for the splits that are full.
 *
 * <p>Confined to the fetcher thread, but for {@link #wakeUp()} and what {@link ProxyControl} and a
 * batch's {@code recycle} do. Starts no thread and reads no clock of its own, so that a simulation
 * can drive it.
 *
 * <p>{@link #fetch()} goes round: take back what was emitted, do what the reader wants, decide who
 * may fetch, poll, and hand over a batch when there is credit and something to give. It waits
 * inside {@code poll} only when a batch could be handed over if data came. Without credit it parks,
 * polls now and then without waiting, and is woken by the batch that comes back: a {@code wakeup}
 * of the consumer costs an exception, too much for every batch under backpressure.
 */
public final class PollProxy implements AutoCloseable {

  /**
   * Least time between two polls while there is plenty to hand over. The client goes through all
   * that it is assigned in each poll, so with thousands of splits it is more.
   */
  private static final long BUSY_POLL_NANOS = 1_000_000L;

  /** So many splits make that time longer by itself. */
  private static final int BUSY_POLL_SPLITS = 500;

  private static final long PARK_MIN_NANOS = 1_000_000L;

  private final ProxyLimits limits;
  private final ProxyControl control;
  private final ProxyStats stats;
  private final RecordWeigher weigher;
  private final LongSupplier clock;

  private final PauseLedger ledger;
  private final PollSize pollSize;
  private final ProxyConsumer consumer;
  private final SplitChooser chooser;
  private final OrderWait orderWait;
  private final Admission admission;
  private final FullSplits fullSplits;
  private final Holdings holdings;
  private final Intake intake;
  private final Handover handover;
  private final OffsetChecks checks;
  private final WakeSignal wake;
  private final Runnable waker;
  private final ReturnedBatches returns;

  /** Where batches of several proxies are merged, what the merge is told of this one. */
  @Nullable private final MergeLane lane;

  private final Map<String, SplitBuffer> splits = new LinkedHashMap<>();
  private final List<SplitBuffer> reachedStop = new ArrayList<>();
  private final Intake.Arrivals arrivals = new PollArrivals();

  private volatile boolean readerWoke;
  private long lastPollAt;
  private long parkNanos = PARK_MIN_NANOS;
  private boolean waitedInVain;

  PollProxy(ProxyParts parts) {
    this(parts, ProxyRules.STANDARD);
  }

  PollProxy(ProxyParts parts, ProxyRules rules) {
    this.limits = parts.limits();
    this.control = parts.control();
    this.stats = parts.stats();
    this.weigher = parts.weigher();
    this.clock = parts.clock();
    PollQuota quota = new PollQuota(parts.keepKeys(), parts.keepHeaders());
    this.pollSize = new PollSize(parts.maxPollRecords(), parts.maxPollRecordsFixed());
    this.ledger = rules.ledger(parts.pauseTimes());
    this.consumer =
        new ProxyConsumer(
            parts.consumerFactory(),
            quota,
            ledger,
            rules.fetchAhead(),
            limits.retainedResponses(),
            stats);
    this.chooser = rules.chooser(parts);
    this.orderWait = rules.orderWait(parts);
    this.admission = rules.admission(parts, ledger, orderWait);
    this.fullSplits = new FullSplits(limits, ledger, orderWait);
    this.wake = rules.wakeSignal();
    this.returns = new ReturnedBatches(parts.budget(), wake);
    this.holdings = new Holdings(parts.budget(), stats);
    this.handover =
        new Handover(
            limits, parts.budget(), chooser, orderWait, admission, holdings, stats, returns);
    this.waker = wake::wake;
    this.lane = rules.lane();
    this.checks =
        new OffsetChecks(
            parts.lossHandler(),
            parts.unreadable(),
            parts.inspector(),
            ledger,
            clock,
            waker,
            new CheckOwner());
    this.intake =
        new Intake(
            consumer, quota, pollSize, parts.hook(), limits, stats, holdings, checks::replaced);
    this.lastPollAt = clock.getAsLong() - limits.maxWait().toNanos();
    control.attach(waker);
    // What was wished before there was a proxy is done with the first fetch.
    wake.wake();
  }

  /** Takes over splits; fetching starts with the next {@link #fetch()}. */
  public void addSplits(Collection<KorpseSplit> added, SplitListeners listeners) {
    take(added, listeners);
    if (lane != null) {
      lane.took(added.size(), earliest(clock.getAsLong()));
    }
  }

  private void take(Collection<KorpseSplit> added, SplitListeners listeners) {
    long now = clock.getAsLong();
    List<SplitBuffer> toFetch = new ArrayList<>();
    for (KorpseSplit split : added) {
      SplitBuffer buffer =
          new SplitBuffer(
              split,
              listeners.position(split.splitId()),
              listeners.end(split.splitId()),
              listeners.stats(split.splitId()),
              weigher);
      splits.put(split.splitId(), buffer);
      if (buffer.fetchOffset() >= buffer.stopOffset()) {
        buffer.finishFetching();
        handover.drained(buffer);
      } else {
        toFetch.add(buffer);
      }
    }
    countSplits();
    if (toFetch.isEmpty()) {
      return;
    }
    if (consumer.get() == null) {
      pollSize.fitTo(splits.size());
    }
    consumer.add(toFetch, pollSize.count());
    for (SplitBuffer buffer : toFetch) {
      hold(buffer, control.isHeld(buffer.splitId()), now);
      admission.added(buffer, now);
    }
    checks.added(toFetch);
    toFetch.forEach(buffer -> endAsWished(buffer, now));
  }

  /**
   * The next batch; never null. Waits until there is one, or until {@link #wakeUp()}: then the
   * shared empty batch.
   *
   * @throws InterruptedException when the thread is interrupted while it waits
   */
  public HandoverBatch fetch() throws InterruptedException {
    while (true) {
      long now = clock.getAsLong();
      orderWait.tick(now);
      boolean asked = wake.takePending();
      takeBack(now);
      if (asked) {
        doWishes(now);
      }
      boolean credit = handover.hasCredit();
      admit(now);
      if (credit) {
        pollAhead(now);
        HandoverBatch batch = handover.compose(clock.getAsLong(), this::leave);
        if (batch != null) {
          if (lane != null) {
            lane.send(batch, remaining(clock.getAsLong()));
          }
          return batch;
        }
      }
      if (lane != null) {
        long at = clock.getAsLong();
        lane.tell(earliest(at), !credit && chooser.isOverdue(at));
      }
      if (readerWoke) {
        readerWoke = false;
        return ProxyParts.EMPTY;
      }
      await(credit, clock.getAsLong());
    }
  }

  /**
   * How early what the merge has not been given may be. A proxy that has not begun may have
   * anything, until the ends of its splits are known.
   */
  private long earliest(long now) {
    return lane.isNew() && checks.isInspecting() ? SplitBuffer.NO_TIME : remaining(now);
  }

  /**
   * The same beside what is handed over. For a split of which nothing is known no proxy waits, so
   * it must not count as an early one here.
   */
  private long remaining(long now) {
    return Math.min(chooser.earliest(), orderWait.earliest(now));
  }

  /** The splits that have not left. */
  Collection<SplitBuffer> splits() {
    return splits.values();
  }

  /**
   * Polls without waiting while there is something to hand over: everything that the client has,
   * since it sends no fetch to a broker of which it still holds data, and since order among splits
   * needs the head of each.
   */
  private void pollAhead(long now) {
    // What the client still has is taken at once: before that it asks the broker for no more.
    boolean due =
        intake.more()
            || holdings.bytes() < limits.batchBytes()
            || now - lastPollAt >= BUSY_POLL_NANOS * (1 + splits.size() / BUSY_POLL_SPLITS);
    // Also while all are paused: what was asked for before arrives only through polls.
    if (chooser.size() == 0 || !due || !consumer.hasSplits()) {
      return;
    }
    do {
      poll(0, false);
      // What it brought counts before the next poll, and before somebody is waited for.
      admit(lastPollAt);
    } while (intake.more() && isFetching() && holdings.bytes() < limits.readerBytes() / 2);
  }

  private void admit(long now) {
    boolean stuck = !handover.hasOutstanding() && chooser.size() == 0;
    admission.update(splits.values(), stuck, now);
  }

  private boolean isFetching() {
    return ledger.pausedCount() < consumer.splitCount();
  }

  // ---- waiting

  private void await(boolean credit, long now) throws InterruptedException {
    long wait = limits.maxWait().toNanos();
    boolean fetching = isFetching();
    if (waitedInVain || !fetching || consumer.hasManyEnded()) {
      consumer.unassignEnded();
    }
    if (credit && fetching) {
      long deadline = orderWait.nanosToDeadline(now);
      // A returned batch matters to this poll only when it could let a paused split fetch again.
      boolean forReturns = ledger.pausedCount() > 0 && handover.hasOutstanding();
      poll(Math.min(wait, deadline), forReturns);
      waitedInVain = intake.kept() == 0;
      return;
    }
    if (consumer.hasSplits() && now - lastPollAt >= (fetching ? parkNanos : wait)) {
      poll(0, false);
      boolean idle = intake.kept() == 0;
      parkNanos = idle ? Math.min(wait / 2, parkNanos * 2) : PARK_MIN_NANOS;
      if (!idle) {
        return;
      }
    } else {
      stats.pollSkipped();
    }
    wake.park(fetching ? parkNanos : wait, returns);
  }

  /** Ends the wait of {@link #fetch()} with an empty batch. Any thread. */
  public void wakeUp() {
    readerWoke = true;
    wake.wake();
  }

  // ---- what comes from the reader

  private void takeBack(long now) {
    for (HandoverBatch batch = handover.takeBack(); batch != null; batch = handover.takeBack()) {
      for (int i = 0; i < batch.runs(); i++) {
        fullSplits.returned(batch.runSplit(i), now);
      }
    }
  }

  private void doWishes(long now) {
    for (String id = control.pollChanged(); id != null; id = control.pollChanged()) {
      SplitBuffer split = splits.get(id);
      if (split != null) {
        hold(split, control.isHeld(id), now);
        endAsWished(split, now);
      }
    }
    checks.takeAnswers();
  }

  private void endAsWished(SplitBuffer split, long now) {
    if (control.isEnded(split.splitId())) {
      chooser.notReady(split);
      holdings.discard(split);
      finishFetching(split, now);
    } else if (split.limitTo(control.stopOffset(split.splitId()))) {
      // What is buffered beyond the new end is left out by the emitter.
      finishFetching(split, now);
    }
  }

  /** Alignment stops the fetching of a split, and what is buffered of it too. */
  private void hold(SplitBuffer split, boolean held, long now) {
    split.held = held;
    if (held) {
      chooser.notReady(split);
      if (!split.fetchFinished()) {
        ledger.add(split.pause, PauseReason.ALIGNMENT, now);
      }
    } else {
      ledger.remove(split.pause, PauseReason.ALIGNMENT, now);
      readyOrEmpty(split, now);
    }
    orderWait.review(split, now);
  }

  private void readyOrEmpty(SplitBuffer split, long now) {
    if (split.hasRun() && !split.held) {
      chooser.ready(split, now);
    }
    if (split.isEmpty() && !split.fetchFinished()) {
      admission.emptied(split, now);
    }
  }

  // ---- fetching

  private void poll(long nanos, boolean forReturns) {
    consumer.applyPauses();
    Consumer<byte[], byte[]> polled = consumer.get();
    boolean wait = nanos > 0 && wake.enterPoll(polled, forReturns, returns);
    intake.begin(fullSplits.pollBytes());
    ConsumerRecords<byte[], byte[]> records;
    try {
      records = consumer.poll(wait ? nanos : 0);
    } catch (WakeupException e) {
      // A wake that was meant for this poll or came late for the one before: an empty poll.
      return;
    } catch (OffsetOutOfRangeException e) {
      checks.refused(e, consumer.splits());
      // One that has ended is nobody's loss, but each poll would throw for it.
      consumer.unassignEnded();
      return;
    } catch (KafkaException e) {
      checks.unreadable(e, consumer.splits());
      consumer.unassignEnded();
      return;
    } finally {
      if (wait) {
        wake.leavePoll();
      }
      lastPollAt = clock.getAsLong();
    }
    intake.take(records, arrivals);
    fullSplits.polled(intake.more(), lastPollAt);
    finishReached(lastPollAt);
    intake.fitPollSize(lastPollAt, limits.maxWait());
  }

  private final class PollArrivals implements Intake.Arrivals {
    @Override
    public void arrived(SplitBuffer split, int count, long bytes) {
      PollProxy.this.arrived(split, count, bytes);
    }

    @Override
    public void unmoved(SplitBuffer split) {
      orderWait.review(split, lastPollAt);
    }
  }

  private void arrived(SplitBuffer split, int count, long bytes) {
    if (count > 0) {
      orderWait.delivered(split);
      fullSplits.arrived(split, lastPollAt);
      admission.filled(split, bytes, lastPollAt);
    }
    readyOrEmpty(split, lastPollAt);
    orderWait.review(split, lastPollAt);
    if (split.fetchOffset() >= split.stopOffset()) {
      reachedStop.add(split);
    }
  }

  private void finishReached(long now) {
    if (!reachedStop.isEmpty()) {
      List<SplitBuffer> finished = List.copyOf(reachedStop);
      reachedStop.clear();
      finished.forEach(split -> finishFetching(split, now));
    }
  }

  private void finishFetching(SplitBuffer split, long now) {
    if (!split.fetchFinished()) {
      split.finishFetching();
      ledger.forget(split.pause, now);
      consumer.end(split);
      admission.removed(split);
      orderWait.forget(split);
      // A held split still gives nothing; without its pause reasons the hold is known by the
      // control.
      if (split.hasRun() && !control.isHeld(split.splitId())) {
        chooser.ready(split, now);
      }
    }
    if (split.isDrained()) {
      chooser.notReady(split);
      handover.drained(split);
    }
  }

  // ---- offsets that the broker does not have

  private final class CheckOwner implements OffsetChecks.Owner {

    @Override
    public boolean wants(SplitBuffer split) {
      return splits.get(split.splitId()) == split && !split.fetchFinished();
    }

    @Override
    public void fetchOn(SplitBuffer split) {
      long now = clock.getAsLong();
      if (split.fetchOffset() >= split.stopOffset()) {
        finishFetching(split, now);
      } else {
        consumer.seek(split);
      }
      readyOrEmpty(split, now);
      orderWait.review(split, now);
    }

    @Override
    public void skipTo(SplitBuffer split, long offset, KafkaException cause) {
      long next = Math.min(offset, split.stopOffset());
      UnreadableRecord record = new UnreadableRecord(split, next, cause);
      long bytes = split.append(List.of(record), next, Position.NO_EPOCH);
      holdings.arrived(1, bytes);
      holdings.publish();
      PollProxy.this.arrived(split, 1, bytes);
      finishReached(lastPollAt);
      // One that has ended with the damage must not stay assigned: each poll would throw for it.
      consumer.unassignEnded();
    }

    @Override
    public void changed(SplitBuffer split) {
      orderWait.review(split, clock.getAsLong());
    }
  }

  // ---- the end of splits, and of the proxy

  private void countSplits() {
    admission.splits(splits.size());
    stats.splits(splits.size());
  }

  /** Whether the split was still here; from now on it is not. */
  private boolean leave(SplitBuffer split) {
    boolean left = splits.remove(split.splitId(), split);
    countSplits();
    return left;
  }

  /** Closes the consumer and gives back what this proxy holds of the budget. */
  public void close(Duration timeout) {
    control.detach(waker);
    holdings.releaseAll();
    handover.close();
    long now = clock.getAsLong();
    splits.values().forEach(split -> ledger.forget(split.pause, now));
    splits.clear();
    countSplits();
    consumer.close(timeout);
  }

  @Override
  public void close() {
    close(limits.maxWait());
  }
}
