package io.korpse.flink.source.reader.proxy;

import java.util.Arrays;

/**
 * The split whose next record has the lowest timestamp goes first, in a run that ends a little
 * after the next split's head.
 *
 * <p>Heads are kept in a binary heap; each split knows its place in it, so that one can be taken
 * out from the middle. The times lie in an array beside it: with thousands of splits a run may be
 * one record, and each look at a split would miss the cache.
 *
 * <p>A split that is far ahead is held back on purpose. Held longer than the maximum, it gives one
 * run all the same, because a clock that is years ahead must not starve it, and because Flink takes
 * a split without records as idle: the order holds among heads within that time.
 *
 * <p>Splits whose records have no timestamps have no place in that order. They take turns, as in
 * {@link FairChooser}, and give as many bytes as those in the heap do, each for each.
 */
final class EventTimeChooser implements SplitChooser {

  private final OrderSlack slack;
  private final long maxHoldNanos;
  private final ProxyStats stats;

  private SplitBuffer[] heap = new SplitBuffer[16];
  private long[] times = new long[16];
  private int size;

  /** Ready splits, the longest unserved first. */
  private final ServiceQueue unserved = new ServiceQueue();

  private final FairChooser untimed = new FairChooser(SplitBuffer.UNTIMED_BYTES);

  /** What those without timestamps may give before the others, times the number of the others. */
  private long owed;

  private SplitBuffer heldTooLong;

  EventTimeChooser(OrderSlack slack, long maxHoldNanos, ProxyStats stats) {
    this.slack = slack;
    this.maxHoldNanos = maxHoldNanos;
    this.stats = stats;
  }

  @Override
  public void ready(SplitBuffer split, long nowNanos) {
    if (split.heapIndex >= 0) {
      // One that had only a position to give now has a record.
      reseat(split, nowNanos);
      return;
    }
    putIn(split, nowNanos);
    split.servedNanos = nowNanos;
    unserved.addLast(split);
  }

  @Override
  public void notReady(SplitBuffer split) {
    if (split.heapIndex >= 0) {
      takeOut(split);
      unserved.remove(split);
    }
  }

  @Override
  public SplitBuffer next(long horizon, long nowNanos) {
    heldTooLong = null;
    SplitBuffer longest = unserved.first();
    if (longest == null) {
      return null;
    }
    SplitBuffer lowest = heap[0];
    SplitBuffer chosen = choose(lowest, horizon, nowNanos);
    // The lowest may have to wait for a split that is empty, but not while others are served.
    boolean passedOver = longest != chosen && (longest != lowest || chosen != null);
    if (passedOver && nowNanos - longest.servedNanos > maxHoldNanos) {
      heldTooLong = longest;
      stats.countServedAfterHold();
      return longest;
    }
    return chosen;
  }

  private SplitBuffer choose(SplitBuffer lowest, long horizon, long nowNanos) {
    SplitBuffer timed = lowest != null && (times[0] <= horizon || lowest.isEmpty()) ? lowest : null;
    if (untimed.size() == 0 || (timed != null && owed <= 0)) {
      return timed;
    }
    return untimed.next(horizon, nowNanos);
  }

  @Override
  public boolean outOfTurn() {
    return heldTooLong != null;
  }

  @Override
  public long earliest() {
    return size == 0 ? Long.MAX_VALUE : times[0];
  }

  @Override
  public boolean isOverdue(long nowNanos) {
    SplitBuffer longest = unserved.first();
    return longest != null && nowNanos - longest.servedNanos > maxHoldNanos;
  }

  @Override
  public long runUntil(SplitBuffer split, long horizon) {
    if (split == heldTooLong) {
      return split.headTime();
    }
    if (split.heapIndex == FairChooser.IN_TURN) {
      // Up to -1 at least, so that none without a timestamp is cut off.
      long next = size > 0 ? times[0] : Long.MAX_VALUE;
      return Math.max(-1, Math.min(slack.runUntil(split.headTime(), next), horizon));
    }
    long second = Long.MAX_VALUE;
    if (size > 1) {
      second = times[1];
    }
    if (size > 2) {
      second = Math.min(second, times[2]);
    }
    return Math.min(slack.runUntil(times[0], second), horizon);
  }

  @Override
  public long runBytes(SplitBuffer split) {
    if (split.heapIndex == FairChooser.IN_TURN) {
      return untimed.runBytes(split);
    }
    return split.headIsTimed() ? Long.MAX_VALUE : SplitBuffer.UNTIMED_BYTES;
  }

  @Override
  public void served(SplitBuffer split, long takenBytes, boolean stillReady, long nowNanos) {
    settle(split, takenBytes);
    unserved.remove(split);
    if (split.heapIndex == FairChooser.IN_TURN) {
      untimed.served(split, takenBytes, stillReady && split.takesTurns(), nowNanos);
    } else if (!stillReady) {
      removeFromHeap(split);
    }
    if (!stillReady) {
      return;
    }
    split.servedNanos = nowNanos;
    unserved.addLast(split);
    reseat(split, nowNanos);
  }

  /** Both sides get like shares, by the splits that each has; neither saves up what it left. */
  private void settle(SplitBuffer split, long takenBytes) {
    if (untimed.size() == 0) {
      owed = 0;
      return;
    }
    long most = SplitBuffer.UNTIMED_BYTES * (size + untimed.size());
    long given =
        split.heapIndex == FairChooser.IN_TURN
            ? -takenBytes * Math.max(1, size)
            : takenBytes * untimed.size();
    owed = Math.max(-most, Math.min(most, owed + given));
  }

  private void putIn(SplitBuffer split, long nowNanos) {
    if (split.takesTurns()) {
      untimed.ready(split, nowNanos);
      return;
    }
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, size * 2);
      times = Arrays.copyOf(times, size * 2);
    }
    siftUp(size++, split, split.headTime());
  }

  private void takeOut(SplitBuffer split) {
    if (split.heapIndex == FairChooser.IN_TURN) {
      untimed.notReady(split);
    } else {
      removeFromHeap(split);
    }
  }

  /** Its head changed, and with it its place, or on which side it is. */
  private void reseat(SplitBuffer split, long nowNanos) {
    boolean inTurn = split.heapIndex == FairChooser.IN_TURN;
    if (split.heapIndex >= 0 && inTurn == split.takesTurns()) {
      if (!inTurn) {
        rekey(split);
      }
      return;
    }
    if (split.heapIndex >= 0) {
      takeOut(split);
    }
    putIn(split, nowNanos);
  }

  private void rekey(SplitBuffer split) {
    int at = split.heapIndex;
    long time = split.headTime();
    if (time > times[at]) {
      siftDown(at, split, time);
    } else if (time < times[at]) {
      siftUp(at, split, time);
    }
  }

  private void removeFromHeap(SplitBuffer split) {
    int hole = split.heapIndex;
    split.heapIndex = -1;
    SplitBuffer last = heap[--size];
    heap[size] = null;
    if (last != split) {
      siftDown(hole, last, times[size]);
      siftUp(last.heapIndex, last, times[last.heapIndex]);
    }
  }

  private void siftUp(int from, SplitBuffer split, long time) {
    int at = from;
    while (at > 0) {
      int parent = (at - 1) >>> 1;
      if (times[parent] <= time) {
        break;
      }
      place(heap[parent], times[parent], at);
      at = parent;
    }
    place(split, time, at);
  }

  private void siftDown(int from, SplitBuffer split, long time) {
    int at = from;
    while (true) {
      int child = 2 * at + 1;
      if (child >= size) {
        break;
      }
      if (child + 1 < size && times[child + 1] < times[child]) {
        child++;
      }
      if (time <= times[child]) {
        break;
      }
      place(heap[child], times[child], at);
      at = child;
    }
    place(split, time, at);
  }

  private void place(SplitBuffer split, long time, int at) {
    heap[at] = split;
    times[at] = time;
    split.heapIndex = at;
  }

  @Override
  public void keptOut(long earliestTime) {
    slack.keptOut(earliestTime);
  }

  @Override
  public boolean waits() {
    return true;
  }

  @Override
  public int size() {
    return size + untimed.size();
  }
}
