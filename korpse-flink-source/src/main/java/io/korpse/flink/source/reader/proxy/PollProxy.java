package io.korpse.flink.source.reader.proxy;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
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

  /** Least time between two polls while there is plenty to hand over. */
  private static final long BUSY_POLL_NANOS = 1_000_000L;

  private static final long PARK_MIN_NANOS = 1_000_000L;

  private final ProxyLimits limits;
  private final BufferBudget budget;
  private final ProxyControl control;
  private final ProxyStats stats;
  private final PauseLedger ledger;
  private final PollQuota quota;
  private final PollSize pollSize;
  private final ProxyConsumer consumer;
  private final SplitChooser chooser;
  private final OrderWait orderWait;
  private final Admission admission;
  private final RecordWeigher weigher;
  private final OffsetChecks checks;
  private final LongSupplier clock;
  private final WakeSignal wake;
  private final ReturnedBatches returns;

  private final Map<String, SplitBuffer> splits = new LinkedHashMap<>();
  private final Set<HandoverBatch> outstanding = new LinkedHashSet<>();
  private final Set<SplitBuffer> drained = new LinkedHashSet<>();
  private final List<SplitBuffer> reachedStop = new ArrayList<>();

  private volatile boolean readerWoke;
  private int splitRecordsPolled;
  private boolean moreInClient;
  private long bufferedRecords;
  private long bufferedBytes;
  private long lastPollAt;
  private long parkNanos = PARK_MIN_NANOS;
  private long latestHanded = SplitBuffer.NO_TIME;

  PollProxy(ProxyParts parts) {
    this(parts, ProxyRules.STANDARD);
  }

  PollProxy(ProxyParts parts, ProxyRules rules) {
    this.limits = parts.limits();
    this.budget = parts.budget();
    this.control = parts.control();
    this.stats = parts.stats();
    this.clock = parts.clock();
    this.weigher = parts.weigher();
    this.quota = new PollQuota(parts.keepKeys(), parts.keepHeaders());
    this.pollSize = new PollSize(parts.maxPollRecords(), parts.maxPollRecordsFixed());
    this.ledger = rules.ledger(parts.pauseTimes());
    this.consumer =
        new ProxyConsumer(
            parts.consumerFactory(), quota, ledger, limits.retainedResponses(), stats);
    this.chooser = rules.chooser(parts);
    this.orderWait = rules.orderWait(parts);
    this.admission = rules.admission(parts, ledger);
    this.wake = rules.wakeSignal();
    this.returns = new ReturnedBatches(budget, wake);
    this.checks =
        new OffsetChecks(
            parts.lossHandler(), parts.inspector(), ledger, clock, wake::wake, new CheckOwner());
    this.lastPollAt = clock.getAsLong() - limits.maxWait().toNanos();
    control.attach(wake::wake);
  }

  /** Takes over splits; fetching starts with the next {@link #fetch()}. */
  public void addSplits(Collection<KorpseSplit> added, SplitListeners listeners) {
    long now = clock.getAsLong();
    List<SplitBuffer> toFetch = new ArrayList<>();
    for (KorpseSplit split : added) {
      SplitBuffer buffer =
          new SplitBuffer(
              split, listeners.position(split.splitId()), listeners.end(split.splitId()), weigher);
      splits.put(split.splitId(), buffer);
      if (buffer.fetchOffset() >= buffer.stopOffset()) {
        buffer.finishFetching();
        drained.add(buffer);
      } else {
        toFetch.add(buffer);
      }
    }
    admission.splits(splits.size());
    if (toFetch.isEmpty()) {
      return;
    }
    consumer.add(toFetch, pollSize.count());
    for (SplitBuffer buffer : toFetch) {
      hold(buffer, control.isHeld(buffer.splitId()), now);
      admission.added(buffer, now);
    }
    checks.added(toFetch);
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
      boolean asked = wake.takePending();
      takeBack(now);
      if (asked) {
        doWishes(now);
      }
      boolean credit = budget.batches() < limits.batches();
      boolean stuck = outstanding.isEmpty() && chooser.size() == 0;
      admission.update(splits.values(), stuck, now);
      consumer.applyPauses();
      if (credit) {
        pollAhead(now);
        HandoverBatch batch = compose(clock.getAsLong());
        if (batch != null) {
          return batch;
        }
      }
      if (readerWoke) {
        readerWoke = false;
        return ProxyParts.EMPTY;
      }
      await(credit, clock.getAsLong());
    }
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
    boolean due = bufferedBytes < limits.batchBytes() || now - lastPollAt >= BUSY_POLL_NANOS;
    if (chooser.size() == 0 || !due || !isFetching()) {
      return;
    }
    do {
      poll(0, false);
      consumer.applyPauses();
    } while (moreInClient && isFetching() && bufferedBytes < limits.readerBytes() / 2);
  }

  private boolean isFetching() {
    return ledger.pausedCount() < consumer.splitCount();
  }

  // ---- waiting

  private void await(boolean credit, long now) throws InterruptedException {
    long wait = limits.maxWait().toNanos();
    boolean fetching = isFetching();
    if (credit && fetching) {
      long deadline = orderWait.nanosToDeadline(now);
      // A returned batch matters to this poll only when it could let a paused split fetch again.
      boolean forReturns = ledger.pausedCount() > 0 && !outstanding.isEmpty();
      poll(Math.min(wait, deadline), forReturns);
      return;
    }
    if (consumer.hasSplits() && now - lastPollAt >= (fetching ? parkNanos : wait)) {
      int before = splitRecordsPolled;
      poll(0, false);
      boolean idle = splitRecordsPolled == before;
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
    for (HandoverBatch batch = returns.poll(); batch != null; batch = returns.poll()) {
      outstanding.remove(batch);
      batch.settle();
      for (int i = 0; i < batch.runs(); i++) {
        relax(batch.runSplit(i), now);
      }
    }
  }

  /** A split that holds less may fetch again. */
  private void relax(SplitBuffer split, long now) {
    if (split.pause.has(PauseReason.SPLIT_FULL)
        && split.heldBytes() <= limits.splitLowBytes()
        && split.heldRecords() <= limits.splitLowRecords()) {
      ledger.remove(split.pause, PauseReason.SPLIT_FULL, now);
      orderWait.review(split, now);
    }
  }

  private void doWishes(long now) {
    for (String id = control.pollChanged(); id != null; id = control.pollChanged()) {
      SplitBuffer split = splits.get(id);
      if (split == null) {
        continue;
      }
      hold(split, control.isHeld(id), now);
    }
    for (String id = control.pollFinish(); id != null; id = control.pollFinish()) {
      SplitBuffer split = splits.get(id);
      if (split != null) {
        long freed = split.discard();
        bufferedBytes -= freed;
        budget.release(freed);
        finishFetching(split, now);
      }
    }
    for (ProxyControl.Stop stop = control.pollStop(); stop != null; stop = control.pollStop()) {
      SplitBuffer split = splits.get(stop.splitId());
      // What is buffered beyond the new end is left out by the emitter.
      if (split != null && split.limitTo(stop.offset())) {
        finishFetching(split, now);
      }
    }
    checks.takeAnswers();
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
    moreInClient = false;
    Consumer<byte[], byte[]> polled = consumer.get();
    boolean wait = nanos > 0 && wake.enterPoll(polled, forReturns, returns);
    quota.begin(limits.pollBytes());
    ConsumerRecords<byte[], byte[]> records;
    try {
      records = consumer.poll(wait ? nanos : 0);
    } catch (WakeupException e) {
      // A wake that was meant for this poll or came late for the one before: an empty poll.
      return;
    } catch (OffsetOutOfRangeException e) {
      checks.refused(e, consumer.splits());
      consumer.applyPauses();
      return;
    } finally {
      if (wait) {
        wake.leavePoll();
      }
      lastPollAt = clock.getAsLong();
    }
    intake(records);
  }

  private void intake(ConsumerRecords<byte[], byte[]> records) {
    long now = lastPollAt;
    int kept = 0;
    int withheld = 0;
    long bytes = 0;
    for (Map.Entry<TopicPartition, OffsetAndMetadata> progress : records.nextOffsets().entrySet()) {
      SplitBuffer split = consumer.split(progress.getKey());
      if (split == null || split.fetchFinished()) {
        continue;
      }
      List<ConsumerRecord<byte[], byte[]>> polled = records.records(progress.getKey());
      long nextOffset = progress.getValue().offset();
      int nextEpoch = progress.getValue().leaderEpoch().orElse(Position.NO_EPOCH);
      observeLag(split, nextOffset);
      int usable = quota.exceeded() ? firstWithheld(polled) : polled.size();
      boolean cut = usable < polled.size();
      if (cut) {
        withheld += polled.size() - usable;
        nextOffset = polled.get(usable).offset();
        nextEpoch = polled.get(usable).leaderEpoch().orElse(Position.NO_EPOCH);
        polled = List.copyOf(polled.subList(0, usable));
      }
      if (nextOffset > split.stopOffset()) {
        polled = upToStop(polled, split.stopOffset());
        nextOffset = split.stopOffset();
      }
      long added = split.append(polled, nextOffset, nextEpoch);
      if (cut) {
        consumer.seek(split);
      }
      kept += polled.size();
      bytes += added;
      arrived(split, polled.size(), added, now);
    }
    splitRecordsPolled += kept;
    moreInClient = kept + withheld >= pollSize.count() || withheld > 0;
    stats.polled(kept, bytes);
    if (withheld > 0) {
      stats.withheld(withheld);
    }
    publishBuffered();
    finishReached(now);
    if (pollSize.review(kept, withheld, quota.used(), limits.pollBytes(), now)) {
      consumer.rebuild(pollSize.count(), limits.maxWait());
    }
  }

  private void observeLag(SplitBuffer split, long position) {
    OptionalLong lag = consumer.currentLag(split.partition());
    if (lag.isPresent()) {
      long end = position + lag.getAsLong();
      split.observeEnd(end);
      split.endListener().endsAt(end);
    }
  }

  private static int firstWithheld(List<ConsumerRecord<byte[], byte[]>> polled) {
    for (int i = 0; i < polled.size(); i++) {
      ConsumerRecord<byte[], byte[]> record = polled.get(i);
      if (record.value() == PollQuota.WITHHELD || record.key() == PollQuota.WITHHELD) {
        return i;
      }
    }
    return polled.size();
  }

  private static List<ConsumerRecord<byte[], byte[]>> upToStop(
      List<ConsumerRecord<byte[], byte[]>> polled, long stopOffset) {
    int size = polled.size();
    while (size > 0 && polled.get(size - 1).offset() >= stopOffset) {
      size--;
    }
    return List.copyOf(polled.subList(0, size));
  }

  private void arrived(SplitBuffer split, int count, long added, long now) {
    budget.reserve(added);
    bufferedRecords += count;
    bufferedBytes += added;
    if (count > 0) {
      orderWait.delivered(split);
      if (split.heldBytes() >= limits.splitHighBytes()
          || split.heldRecords() >= limits.splitHighRecords()) {
        ledger.add(split.pause, PauseReason.SPLIT_FULL, now);
      }
      admission.filled(split, added, now);
    }
    readyOrEmpty(split, now);
    orderWait.review(split, now);
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
      consumer.remove(List.of(split));
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
      drained.add(split);
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
    public void endKnown(SplitBuffer split) {
      orderWait.review(split, clock.getAsLong());
    }
  }

  // ---- handing over

  private HandoverBatch compose(long now) {
    if (chooser.size() == 0 && drained.isEmpty()) {
      orderWait.unblocked(now);
      return null;
    }
    HandoverBatch batch = null;
    while (batch == null || !batch.isFull()) {
      long horizon = chooser.waits() ? orderWait.horizon(now) : Long.MAX_VALUE;
      SplitBuffer split = chooser.next(horizon, now);
      if (split == null) {
        break;
      }
      if (batch == null) {
        batch = new HandoverBatch(limits.batchRecords(), limits.batchBytes(), returns);
      }
      takeRun(batch, split, horizon, now);
    }
    if (batch == null && drained.isEmpty()) {
      orderWait.blocked(now);
      return null;
    }
    orderWait.unblocked(now);
    if (batch == null) {
      batch = new HandoverBatch(limits.batchRecords(), limits.batchBytes(), returns);
    }
    if (!drained.isEmpty()) {
      batch.finish(leave());
    }
    outstanding.add(batch);
    budget.batchHandedOver();
    stats.batchComposed();
    publishBuffered();
    return batch;
  }

  private void takeRun(HandoverBatch batch, SplitBuffer split, long horizon, long now) {
    int before = split.records();
    if (before > 0 && chooser.waits()) {
      if (split.headTime() < latestHanded) {
        stats.disorder(latestHanded - split.headTime());
      }
    }
    long taken = split.take(batch, chooser.runUntil(split, horizon), chooser.runBytes(split));
    bufferedRecords -= before - split.records();
    bufferedBytes -= taken;
    latestHanded = Math.max(latestHanded, split.lastTime());
    chooser.served(split, taken, split.hasRun(), now);
    if (split.isEmpty()) {
      orderWait.review(split, now);
      if (!split.fetchFinished()) {
        admission.emptied(split, now);
      }
    }
    if (split.isDrained()) {
      drained.add(split);
    }
  }

  /** The drained splits leave; each is reported once, with the batch that holds its last run. */
  private Set<String> leave() {
    Set<String> ids = new LinkedHashSet<>();
    for (SplitBuffer split : drained) {
      if (splits.remove(split.splitId(), split)) {
        ids.add(split.splitId());
      }
    }
    drained.clear();
    admission.splits(splits.size());
    return ids;
  }

  private void publishBuffered() {
    stats.buffered(bufferedRecords, bufferedBytes);
  }

  /** Closes the consumer and gives back what this proxy holds of the budget. */
  public void close(Duration timeout) {
    control.attach(() -> {});
    budget.release(bufferedBytes);
    for (HandoverBatch batch : outstanding) {
      if (batch.reclaim()) {
        budget.batchReturned(batch.bytes());
      }
    }
    outstanding.clear();
    splits.clear();
    bufferedBytes = 0;
    bufferedRecords = 0;
    publishBuffered();
    consumer.close(timeout);
  }

  @Override
  public void close() {
    close(limits.maxWait());
  }
}
