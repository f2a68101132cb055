package io.korpse.flink.source.reader.proxy;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The split whose next record has the lowest timestamp goes first, in a run that ends a little
 * after the next split's head.
 *
 * <p>Heads are kept in a binary heap; each split knows its place in it, so that one can be taken
 * out from the middle. A split's head changes only while it is out of the heap.
 *
 * <p>A split that is far ahead is held back on purpose. Held longer than the maximum, it gives one
 * run all the same, because a clock that is years ahead must not starve it, and because Flink takes
 * a split without records as idle: the order holds among heads within that time.
 */
final class EventTimeChooser implements SplitChooser {

  private final long slackMillis;
  private final long maxHoldNanos;
  private final ProxyStats stats;

  private SplitBuffer[] heap = new SplitBuffer[16];
  private int size;

  /** Ready splits, the longest unserved first. */
  private final Set<SplitBuffer> unserved = new LinkedHashSet<>();

  private SplitBuffer heldTooLong;

  EventTimeChooser(long slackMillis, long maxHoldNanos, ProxyStats stats) {
    this.slackMillis = slackMillis;
    this.maxHoldNanos = maxHoldNanos;
    this.stats = stats;
  }

  @Override
  public void ready(SplitBuffer split, long nowNanos) {
    if (split.heapIndex >= 0) {
      return;
    }
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, size * 2);
    }
    split.heapIndex = size;
    heap[size++] = split;
    siftUp(split.heapIndex);
    split.servedNanos = nowNanos;
    unserved.add(split);
  }

  @Override
  public void notReady(SplitBuffer split) {
    if (split.heapIndex >= 0) {
      removeFromHeap(split);
      unserved.remove(split);
    }
  }

  @Override
  public SplitBuffer next(long horizon, long nowNanos) {
    heldTooLong = null;
    if (size == 0) {
      return null;
    }
    SplitBuffer longest = unserved.iterator().next();
    if (longest != heap[0] && nowNanos - longest.servedNanos > maxHoldNanos) {
      heldTooLong = longest;
      stats.countServedAfterHold();
      return longest;
    }
    SplitBuffer lowest = heap[0];
    return lowest.headTime() <= horizon || lowest.isEmpty() ? lowest : null;
  }

  @Override
  public long runUntil(SplitBuffer split, long horizon) {
    if (split == heldTooLong) {
      return split.headTime();
    }
    long second = Long.MAX_VALUE;
    if (size > 1) {
      second = heap[1].headTime();
    }
    if (size > 2) {
      second = Math.min(second, heap[2].headTime());
    }
    long until = second > Long.MAX_VALUE - slackMillis ? Long.MAX_VALUE : second + slackMillis;
    return Math.min(until, horizon);
  }

  @Override
  public long runBytes(SplitBuffer split) {
    return Long.MAX_VALUE;
  }

  @Override
  public void served(SplitBuffer split, long takenBytes, boolean stillReady, long nowNanos) {
    unserved.remove(split);
    if (!stillReady) {
      removeFromHeap(split);
      return;
    }
    split.servedNanos = nowNanos;
    unserved.add(split);
    siftDown(split.heapIndex);
    siftUp(split.heapIndex);
  }

  private void removeFromHeap(SplitBuffer split) {
    int hole = split.heapIndex;
    split.heapIndex = -1;
    SplitBuffer last = heap[--size];
    heap[size] = null;
    if (last != split) {
      heap[hole] = last;
      last.heapIndex = hole;
      siftDown(hole);
      siftUp(last.heapIndex);
    }
  }

  private void siftUp(int from) {
    int at = from;
    SplitBuffer split = heap[at];
    while (at > 0) {
      int parent = (at - 1) >>> 1;
      if (heap[parent].headTime() <= split.headTime()) {
        break;
      }
      place(heap[parent], at);
      at = parent;
    }
    place(split, at);
  }

  private void siftDown(int from) {
    int at = from;
    SplitBuffer split = heap[at];
    while (true) {
      int child = 2 * at + 1;
      if (child >= size) {
        break;
      }
      if (child + 1 < size && heap[child + 1].headTime() < heap[child].headTime()) {
        child++;
      }
      if (split.headTime() <= heap[child].headTime()) {
        break;
      }
      place(heap[child], at);
      at = child;
    }
    place(split, at);
  }

  private void place(SplitBuffer split, int at) {
    heap[at] = split;
    split.heapIndex = at;
  }

  @Override
  public boolean waits() {
    return true;
  }

  @Override
  public int size() {
    return size;
  }
}
