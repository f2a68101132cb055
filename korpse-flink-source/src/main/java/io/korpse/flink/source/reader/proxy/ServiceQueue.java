package io.korpse.flink.source.reader.proxy;

import javax.annotation.Nullable;

/**
 * Splits by when they were served, the longest unserved first. The links are in the splits, since
 * one moves with each run, and an entry made for each would be the costliest part of a short one.
 * Confined to the fetcher thread.
 */
final class ServiceQueue {

  @Nullable private SplitBuffer first;
  @Nullable private SplitBuffer last;

  /** The split that was served the longest time ago, or null. */
  @Nullable
  SplitBuffer first() {
    return first;
  }

  /** The split must not be in the queue. */
  void addLast(SplitBuffer split) {
    split.servedBefore = last;
    if (last == null) {
      first = split;
    } else {
      last.servedAfter = split;
    }
    last = split;
  }

  /** The split must be in the queue. */
  void remove(SplitBuffer split) {
    SplitBuffer before = split.servedBefore;
    SplitBuffer after = split.servedAfter;
    if (before == null) {
      first = after;
    } else {
      before.servedAfter = after;
    }
    if (after == null) {
      last = before;
    } else {
      after.servedBefore = before;
    }
    split.servedBefore = null;
    split.servedAfter = null;
  }
}
