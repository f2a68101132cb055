package io.korpse.flink.source.reader.proxy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Puts the batches of several proxies into one order by event time. Task thread.
 *
 * <p>Each lane gives its records in the order that its own chooser made. Of the lanes the one goes
 * on that may have the earliest record, up to the slack beyond what any other lane may have: a run
 * ends there, in the middle if need be, and goes on later. What a lane may have is known of its
 * batches, with each of which it tells how early the rest is, and of a lane without a batch by what
 * it tells now. A lane without a batch that may have something early is waited for, within {@link
 * MergeWait}.
 *
 * <p>To the reader this is one fetch after the other. Each ends with a batch, whose splits that are
 * finished it reports and which it recycles, or where order waits.
 */
final class BatchMerge implements RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> {

  private final List<MergeLane> lanes;
  private final MergeWait wait;
  private final long slackMillis;
  private final LongSupplier clock;
  private final ProxyStats stats;

  /** Takes what has come into the lanes. */
  private final Runnable drain;

  private final List<MergeLane> waitedFor = new ArrayList<>();

  /** Whose turn is next. */
  @Nullable private MergeLane chosen;

  /** Whose turn it is. */
  @Nullable private MergeLane current;

  private long until;

  /** A batch that has given all. */
  @Nullable private HandoverBatch done;

  @Nullable private MergeLane served;
  private final RecentMax latest = new RecentMax(SplitBuffer.NO_TIME);
  private final RecentMax disorder = new RecentMax(0);

  BatchMerge(
      List<MergeLane> lanes,
      MergeWait wait,
      long slackMillis,
      LongSupplier clock,
      ProxyStats stats,
      Runnable drain) {
    this.lanes = lanes;
    this.wait = wait;
    this.slackMillis = slackMillis;
    this.clock = clock;
    this.stats = stats;
    this.drain = drain;
  }

  /** Whether there is something to fetch now. */
  boolean begin() {
    return begin(true);
  }

  private boolean begin(boolean takeAll) {
    current = null;
    chosen = null;
    look(takeAll);
    for (MergeLane lane : lanes) {
      if (!lane.isEmpty() && isDone(lane)) {
        return true;
      }
    }
    return choose();
  }

  /** The lanes that order waits for; without any, a look again is worth while. */
  List<MergeLane> waitedFor() {
    return waitedFor;
  }

  /** How long that may last before there is something to decide. */
  long nanosToDecision() {
    return wait.nanosToDecision(waitedFor, clock.getAsLong());
  }

  /** Remembers how early lanes without a batch may be, and then takes what has come. */
  private void look(boolean takeAll) {
    boolean missing = takeAll;
    for (MergeLane lane : lanes) {
      if (lane.isEmpty()) {
        lane.look();
        missing = true;
      }
    }
    if (missing) {
      drain.run();
    }
  }

  private boolean isDone(MergeLane lane) {
    if (lane.head().advance()) {
      return false;
    }
    done = lane.removeHead();
    return true;
  }

  /** Chooses the lane to go on with, and how far. */
  private boolean choose() {
    long now = clock.getAsLong();
    latest.roll(now);
    disorder.roll(now);
    waitedFor.clear();
    long first = MergeLane.NOTHING;
    for (MergeLane lane : lanes) {
      if (lane.isEmpty() && wait.mayWait(lane, now)) {
        waitedFor.add(lane);
        first = Math.min(first, lane.awaited());
      }
    }
    MergeLane best = null;
    long bestTime = 0;
    for (MergeLane lane : lanes) {
      if (!lane.isEmpty()) {
        long time = turn(lane);
        // Of equals not the same again: without timestamps all are.
        if (best == null || time < bestTime || (time == bestTime && best == served)) {
          best = lane;
          bestTime = time;
        }
      }
    }
    if (best == null) {
      waitedFor.clear();
      wait.unblocked(now);
      return false;
    }
    if (allows(best, bestTime, first)) {
      wait.unblocked(now);
      return true;
    }
    for (MergeLane lane : lanes) {
      if (lane != best && !lane.isEmpty() && allows(lane, Math.min(first, bestTime))) {
        wait.unblocked(now);
        return true;
      }
    }
    long earliest = first;
    waitedFor.removeIf(lane -> lane.awaited() > earliest);
    wait.blocked(waitedFor, now);
    return false;
  }

  /** How early the lane's batches are: a record without a time says nothing of that. */
  private static long ahead(MergeLane lane) {
    long after = lane.afterRun();
    return lane.head().nextIsTimed() ? Math.min(lane.head().nextTime(), after) : after;
  }

  /** When it is the lane's turn. A run without times goes first, but not twice beside others. */
  private long turn(MergeLane lane) {
    return lane.head().nextIsTimed() || lane == served ? ahead(lane) : SplitBuffer.NO_TIME;
  }

  /** Whether the lane with the earliest records may go on beside a lane that is waited for. */
  private boolean allows(MergeLane best, long bestTime, long awaited) {
    long others = awaited;
    for (MergeLane lane : lanes) {
      if (lane != best && !lane.isEmpty()) {
        others = Math.min(others, ahead(lane));
      }
    }
    if (best.afterRun() <= others) {
      // Nobody is earlier than what follows this run, which its own chooser has limited.
      return go(best, MergeLane.NOTHING);
    }
    return (bestTime <= others || best.head().nextTime() <= beyond(others))
        && go(best, beyond(others));
  }

  private boolean allows(MergeLane lane, long others) {
    return lane.head().nextTime() <= beyond(others) && go(lane, beyond(others));
  }

  private long beyond(long time) {
    return time > Long.MAX_VALUE - slackMillis ? Long.MAX_VALUE : time + slackMillis;
  }

  private boolean go(MergeLane lane, long limit) {
    chosen = lane;
    served = lane;
    until = limit;
    HandoverBatch head = lane.head();
    if (head.nextIsTimed() && head.nextTime() < latest.get()) {
      disorder.add(latest.get() - head.nextTime());
    }
    stats.disorder(disorder.get());
    return true;
  }

  // ---- what the reader reads

  @Override
  @Nullable
  public String nextSplit() {
    if (current != null) {
      begin(false);
    }
    if (done != null || chosen == null) {
      return null;
    }
    current = chosen;
    return current.head().split();
  }

  @Override
  @Nullable
  public ConsumerRecord<byte[], byte[]> nextRecordFromSplit() {
    ConsumerRecord<byte[], byte[]> record = current.head().nextUntil(until);
    if (record != null && record.timestamp() >= 0) {
      latest.add(record.timestamp());
    }
    return record;
  }

  @Override
  public Set<String> finishedSplits() {
    return done == null ? Set.of() : done.finishedSplits();
  }

  @Override
  public void recycle() {
    if (done != null) {
      HandoverBatch emitted = done;
      done = null;
      emitted.recycle();
    }
  }
}
