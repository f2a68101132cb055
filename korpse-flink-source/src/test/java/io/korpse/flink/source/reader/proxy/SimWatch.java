package io.korpse.flink.source.reader.proxy;

import static io.korpse.flink.source.reader.proxy.SimViolation.check;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * Looks at a proxy before it polls, when it waits and after each fetch, and throws a {@link
 * SimViolation} when an invariant does not hold. Knows the rules from the design, not from the
 * proxy.
 */
final class SimWatch {

  private static final long WINDOW = Duration.ofSeconds(10).toNanos();
  private static final long NOTICED_LATE = Duration.ofMillis(5).toNanos();

  /** What the design lets a broker take for one answer before it counts as a wait. */
  private static final long PROMPT = Duration.ofMillis(100).toNanos();

  private static final long LARGEST_SHARE = Duration.ofMillis(1_010).toNanos();
  private static final long STARVED = Duration.ofSeconds(15).toNanos();
  private static final long QUANTUM = 64 * 1024;

  private final SimSettings settings;
  private final SimScheduler time;
  private final SimSink sink;
  private final ProxyParts parts;
  private final ProxyControl control;
  private final Map<String, SimSplit> splits;
  private final SimCluster cluster;

  private PollProxy proxy;
  private int proxies;
  private final Map<SplitBuffer, Seen> seen = new HashMap<>();
  private final Set<String> heldBefore = new HashSet<>();
  private final Set<String> resumed = new HashSet<>();
  private final Deque<long[]> blocked = new ArrayDeque<>();
  private long blockedNanos;
  private long recordsBefore;
  private long startedAt = -1;
  private long waitStart = -1;
  private boolean waitIsBlocked;
  private long waitPaidFrom;
  private boolean wokenSinceEmpty;
  private int heaviestRecord = 1;
  private int heaviestUnseen;

  /** Most splits that were held with records since the reader was within its bound. */
  private int stuck;

  private long worstReaderExcess;
  private long worstPinned;

  private static final class Seen {
    long emptySince = -1;
    long readySince = -1;
    int overdue;
    long othersBytes;
    long progressAt;
    long fetchOffset;
    long emitted;
  }

  SimWatch(
      SimSettings settings,
      SimScheduler time,
      SimSink sink,
      ProxyParts parts,
      Map<String, SimSplit> splits,
      SimCluster cluster) {
    this.settings = settings;
    this.time = time;
    this.sink = sink;
    this.parts = parts;
    this.control = parts.control();
    this.splits = splits;
    this.cluster = cluster;
  }

  void watch(PollProxy newProxy) {
    proxy = newProxy;
    proxies++;
    seen.clear();
    recordsBefore = parts.stats().records();
    startedAt = -1;
    waitStart = -1;
    blocked.clear();
    blockedNanos = 0;
  }

  void willAppend(SimRecord record) {
    int headers =
        record.headerBytes() < 0 ? 0 : RecordWeigher.HEADER_OVERHEAD + record.headerBytes() + 1;
    int weight =
        RecordWeigher.OVERHEAD
            + headers
            + Math.max(0, record.keyBytes())
            + Math.max(0, record.valueBytes());
    heaviestRecord = Math.max(heaviestRecord, weight);
    if (record.keyBytes() < 0 && record.valueBytes() < 0) {
      heaviestUnseen = Math.max(heaviestUnseen, weight);
    }
  }

  long worstReaderExcess() {
    return worstReaderExcess;
  }

  long worstPinned() {
    return worstPinned;
  }

  /**
   * Most bytes that one poll may add: the quota, one record, and what a quota cannot see, since
   * nobody is asked to copy a record that has neither key nor value.
   */
  private long onePoll() {
    return settings.limits().pollBytes()
        + heaviestRecord
        + (long) heaviestUnseen * settings.maxPollRecords();
  }

  // ---- what happens

  /** Polls in a row in which open splits were paused, to ask ahead. */
  private int heldOver;

  void woken() {
    wokenSinceEmpty = true;
  }

  void resumed(String id) {
    resumed.add(id);
  }

  void beforeFetch() {
    heldBefore.clear();
    resumed.clear();
    for (SplitBuffer split : proxy.splits()) {
      if (control.isHeld(split.splitId())) {
        heldBefore.add(split.splitId());
      }
    }
    look();
  }

  void onPoll(SimConsumer consumer, Duration timeout) {
    endWait();
    look();
    bounds();
    accounts();
    pausedAsWanted(consumer, timeout.isZero());
    check(
        consumer.calls().redundantFlips == 0,
        "R3",
        () -> consumer.calls().redundantFlips + " pauses or resumes changed nothing");
    if (timeout.toNanos() > 0) {
      beginWait();
    }
  }

  void onPark() {
    endWait();
    look();
    bounds();
    accounts();
    boolean credit = parts.budget().batches() < settings.limits().batches();
    for (SplitBuffer split : proxy.splits()) {
      check(
          !credit || split.fetchFinished() || split.pause.paused(),
          "PROMPT",
          () -> "parks although " + split + " could be fetched and handed over");
    }
    beginWait();
  }

  void afterFetch(HandoverBatch batch) {
    endWait();
    if (batch == ProxyParts.EMPTY) {
      check(wokenSinceEmpty, "PROGRESS", () -> "an empty batch without a wake");
      wokenSinceEmpty = false;
    } else {
      nothingOfHeldSplits(batch);
      served(batch);
    }
    look();
    bounds();
    accounts();
    nobodyStarves();
    flips();
  }

  // ---- invariants

  /**
   * I4: the consumer has paused what has a reason, and is assigned what is not fetched whole. While
   * there is work, of the rest a sixteenth of the assignment at most. In a poll that waits for
   * nothing others may be paused, too, to ask ahead for the rest; never in two polls one after the
   * other, and none of them is left so: the next poll finds it open.
   */
  private void pausedAsWanted(SimConsumer consumer, boolean busy) {
    Set<TopicPartition> wanted = new HashSet<>();
    Set<TopicPartition> assigned = new HashSet<>();
    for (SplitBuffer split : proxy.splits()) {
      if (split.fetchFinished()) {
        continue;
      }
      assigned.add(split.partition());
      if (split.pause.paused()) {
        wanted.add(split.partition());
      }
      check(
          split.held == split.pause.has(PauseReason.ALIGNMENT),
          "I4",
          () -> split + " is held=" + split.held + " without the reason");
      check(
          !split.pause.has(PauseReason.SPLIT_FULL) || split.heldBytes() > 0,
          "R4",
          () -> split + " holds nothing and is full");
    }
    check(
        parts.pauseTimes().pausedSplits() == wanted.size(),
        "I4",
        () -> parts.pauseTimes().pausedSplits() + " counted as paused, not " + wanted.size());
    Set<TopicPartition> others = new HashSet<>(consumer.paused());
    others.removeAll(wanted);
    check(
        consumer.paused().containsAll(wanted)
            && (others.isEmpty() || (busy && heldOver == 0 && others.size() < assigned.size())),
        "I4",
        () -> "paused " + consumer.paused() + ", wanted " + wanted + ", waits: " + !busy);
    heldOver = others.isEmpty() ? 0 : heldOver + 1;
    Set<TopicPartition> ended = new HashSet<>(consumer.assignment());
    ended.removeAll(assigned);
    check(
        consumer.assignment().containsAll(assigned)
            && (busy || ended.isEmpty())
            && ended.size() * 16 <= consumer.assignment().size(),
        "I4",
        () -> "assigned " + consumer.assignment() + ", wanted " + assigned);
    worstPinned = Math.max(worstPinned, consumer.pinnedBytes());
    // Of each broker what may be retained for paused splits, the response that is on its way or
    // being
    // read, and one that was on its way when the rests of its splits were dropped.
    int responses = consumer.responses();
    check(
        responses <= (settings.limits().retainedResponses() + 2) * settings.nodes(),
        "PINNED",
        () -> "the client holds " + responses + " responses");
  }

  private void look() {
    long now = time.getAsLong();
    if (startedAt < 0 && parts.stats().records() > recordsBefore) {
      startedAt = now;
    }
    int held = 0;
    for (SplitBuffer split : proxy.splits()) {
      held += split.held && !split.isEmpty() ? 1 : 0;
    }
    boolean over = parts.budget().used() > settings.limits().readerBytes();
    stuck = over ? Math.max(stuck, held) : 0;
    for (SplitBuffer split : proxy.splits()) {
      Seen was = seen.computeIfAbsent(split, s -> new Seen());
      if (!split.isEmpty()) {
        was.emptySince = -1;
      } else if (was.emptySince < 0) {
        was.emptySince = now;
      }
      if (split.isEmpty() || split.held) {
        was.readySince = -1;
        was.overdue = 0;
        was.othersBytes = 0;
      } else if (was.readySince < 0) {
        was.readySince = now;
      }
    }
  }

  private void beginWait() {
    waitStart = time.getAsLong();
    waitIsBlocked = false;
    boolean credit = parts.budget().batches() < settings.limits().batches();
    if (!credit) {
      return;
    }
    boolean ready = false;
    for (SplitBuffer split : proxy.splits()) {
      ready |= !split.isEmpty() && !split.held;
    }
    if (!ready) {
      return;
    }
    // Nobody is held up while the task thread has something.
    waitIsBlocked = parts.budget().batches() == 0;
    check(settings.eventTime(), "WAIT", () -> "the fair order waits with records at hand");
    boolean someone = false;
    long longestEmpty = Long.MAX_VALUE;
    long candidateEmpty = Long.MAX_VALUE;
    StringBuilder candidates = new StringBuilder();
    for (SplitBuffer split : proxy.splits()) {
      check(
          !split.isUntimed() || splits.get(split.splitId()).isUntimed(),
          "WAIT",
          () -> "the timestamps of " + split + " are taken for none");
      // Before the first record of all nothing could have waited.
      long emptySince = Math.max(seen.get(split).emptySince, startedAt);
      long deadline = emptySince + SimSettings.ORDER_WAIT.toNanos();
      boolean waitedFor =
          split.isEmpty()
              && !split.fetchFinished()
              && !split.isUntimed()
              && knownEnd(split) > split.fetchOffset()
              && !split.pause.paused()
              && waitStart < deadline;
      someone |= waitedFor;
      // The start is noticed a little late, and so the end of a wait that began with it.
      boolean surely = waitedFor && waitStart < deadline - NOTICED_LATE;
      longestEmpty = surely ? Math.min(longestEmpty, emptySince) : longestEmpty;
      candidateEmpty = waitedFor ? Math.min(candidateEmpty, emptySince) : candidateEmpty;
      candidates
          .append(split)
          .append(" end ")
          .append(split.end())
          .append(split.pause.paused() ? " paused" : "")
          .append(" empty since ")
          .append(seen.get(split).emptySince / 1_000_000)
          .append("; ");
    }
    // What the broker answers promptly is no wait.
    long ranEmpty = longestEmpty == Long.MAX_VALUE ? candidateEmpty : longestEmpty;
    waitPaidFrom = someone ? ranEmpty + PROMPT : waitStart;
    check(
        someone,
        "WAIT",
        () -> "records wait at " + waitStart / 1_000_000 + " for nobody: " + candidates);
  }

  /** What is known of the log: its end, or the offset to stop before, which was an end once. */
  private static long knownEnd(SplitBuffer split) {
    long end =
        split.end() >= 0 || split.stopOffset() == Long.MAX_VALUE ? split.end() : split.stopOffset();
    return Math.min(end, split.stopOffset());
  }

  private void endWait() {
    long now = time.getAsLong();
    long paidFrom = Math.max(waitStart, waitPaidFrom);
    if (waitStart >= 0 && waitIsBlocked && now > paidFrom) {
      blocked.add(new long[] {paidFrom, now});
      blockedNanos += now - paidFrom;
      while (blocked.peek()[1] <= now - WINDOW) {
        long[] over = blocked.remove();
        blockedNanos -= over[1] - over[0];
      }
      check(
          blockedNanos <= LARGEST_SHARE,
          "WAIT",
          () ->
              "order waited "
                  + blockedNanos / 1_000
                  + " us of the last ten seconds: "
                  + blocked.size()
                  + " times, the proxy counts "
                  + parts.stats().orderWaitMillis()
                  + " since its start");
    }
    waitStart = -1;
  }

  /** I9: nothing of a split that was held before the fetch began and never let go. */
  private void nothingOfHeldSplits(HandoverBatch batch) {
    for (int i = 0; i < batch.runs(); i++) {
      String id = batch.runSplit(i).splitId();
      check(
          !heldBefore.contains(id) || resumed.contains(id),
          "I9",
          () -> "a run of " + id + ", which alignment holds back");
    }
  }

  /** Hazard 13 and I11: who has records is served in time, whatever the others have. */
  private void served(HandoverBatch batch) {
    long now = time.getAsLong();
    Set<SplitBuffer> served = new HashSet<>();
    for (int i = 0; i < batch.runs(); i++) {
      if (batch.runRecords(i) > 0) {
        served.add(batch.runSplit(i));
        seen.computeIfAbsent(batch.runSplit(i), s -> new Seen()).emptySince = -1;
      }
    }
    int count = proxy.splits().size();
    seen.keySet().retainAll(proxy.splits());
    for (Map.Entry<SplitBuffer, Seen> entry : seen.entrySet()) {
      Seen was = entry.getValue();
      if (served.contains(entry.getKey())) {
        was.readySince = -1;
        was.overdue = 0;
        was.othersBytes = 0;
      } else if (was.readySince >= 0) {
        was.othersBytes += batch.bytes();
        if (now - was.readySince > settings.maxHold().toNanos()) {
          was.overdue++;
        }
        if (settings.eventTime()) {
          check(
              was.overdue <= count + 1,
              "HOLD",
              () -> entry.getKey() + " is held back for " + was.overdue + " batches too long");
        } else {
          long turn = (count + 1) * (QUANTUM + heaviestRecord);
          check(
              was.othersBytes <= turn,
              "I11",
              () -> entry.getKey() + " waits while others get " + was.othersBytes + " bytes");
        }
      }
    }
  }

  /** I3: the bounds in bytes, and in records. */
  private void bounds() {
    ProxyLimits limits = settings.limits();
    for (SplitBuffer split : proxy.splits()) {
      check(
          split.heldBytes() <= limits.splitHighBytes() + onePoll(),
          "I3",
          () -> split + " holds " + split.heldBytes() + " bytes, full at " + limits);
      check(
          split.heldRecords() <= limits.splitHighRecords() + settings.maxPollRecords(),
          "I3",
          () -> split + " holds " + split.heldRecords() + " records, full at " + limits);
    }
    // At the bound one split may fetch if nothing else can ever be given back: once more for each
    // split that alignment stops after that.
    long excess = parts.budget().used() - limits.readerBytes();
    worstReaderExcess = Math.max(worstReaderExcess, excess);
    check(
        excess <= onePoll() * (1 + stuck),
        "I3",
        () -> "the reader holds " + excess + " bytes more than " + limits.readerBytes());
  }

  /** I2: in is out, buffered and discarded; the budget holds what is there. */
  private void accounts() {
    long buffered = 0;
    long records = 0;
    for (SplitBuffer split : proxy.splits()) {
      buffered += split.bytes();
      records += split.records();
      check(split.bytes() >= 0 && split.heldBytes() >= 0, "I2", () -> "negative: " + split);
    }
    long held = buffered + sink.heldBytes();
    check(
        parts.budget().used() == held,
        "I2",
        () -> "the budget counts " + parts.budget().used() + " bytes, there are " + held);
    check(
        parts.budget().batches() == sink.heldBatches(),
        "I2",
        () -> parts.budget().batches() + " batches counted, not " + sink.heldBatches());
    long gauge = parts.stats().bufferedRecords();
    long there = records;
    check(gauge == there, "I2", () -> "the gauge says " + gauge + " records, not " + there);
  }

  /** I5: who may be read and has data is read, under any pattern of holds. */
  private void nobodyStarves() {
    long now = time.getAsLong();
    for (SplitBuffer split : proxy.splits()) {
      SimSplit expected = splits.get(split.splitId());
      Seen was = seen.computeIfAbsent(split, s -> new Seen());
      SimPartition partition = cluster.partition(split.partition());
      boolean committedOnly = settings.consumer().readCommitted();
      boolean eligible =
          expected.hasMoreBefore(committedOnly ? partition.lastStable() : partition.end())
              && !control.isHeld(split.splitId())
              && !split.pause.has(PauseReason.OFFSET_CHECK)
              && partition.leader() != SimPartition.NO_LEADER;
      if (!eligible
          || was.fetchOffset != split.fetchOffset()
          || was.emitted != expected.position()) {
        was.progressAt = now;
        was.fetchOffset = split.fetchOffset();
        was.emitted = expected.position();
      }
      check(
          now - was.progressAt <= STARVED + settings.maxHold().toNanos(),
          "I5",
          () -> split + " made no progress since " + was.progressAt / 1_000_000 + " ms");
    }
  }

  /** I8: nothing is left of a proxy that was closed. */
  void afterClose(SimConsumer consumer) {
    check(
        parts.budget().used() == 0 && parts.budget().batches() == 0,
        "I8",
        () -> "left: " + parts.budget().used() + " B in " + parts.budget().batches() + " batches");
    check(consumer == null || consumer.isClosed(), "I8", () -> "the consumer is not closed");
    proxy = null;
  }

  /** I6: a split needs at least the width of the hysteresis to become full once more. */
  private void flips() {
    ProxyLimits limits = settings.limits();
    long full = parts.pauseTimes().pauses(PauseReason.SPLIT_FULL);
    long most =
        parts.stats().bytes() / (limits.splitHighBytes() - limits.splitHighBytes() / 2)
            + parts.stats().records() / (limits.splitHighRecords() - limits.splitHighRecords() / 2)
            + (long) settings.partitions() * (proxies + 1);
    check(full <= most, "I6", () -> full + " pauses of full splits, at most " + most);
  }
}
