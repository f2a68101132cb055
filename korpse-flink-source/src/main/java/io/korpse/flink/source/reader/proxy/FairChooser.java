package io.korpse.flink.source.reader.proxy;

import java.util.ArrayDeque;

/**
 * Deficit round robin by bytes: each ready split in turn gives a quantum, and what it had to give
 * beyond it, since a run holds whole records, is taken off its next turn.
 */
final class FairChooser implements SplitChooser {

  /** The {@link SplitBuffer#heapIndex} of a split that is in turn. */
  static final int IN_TURN = Integer.MAX_VALUE;

  private static final int NOT_IN_TURN = -1;

  private final ArrayDeque<SplitBuffer> turn = new ArrayDeque<>();
  private final long quantum;
  private int ready;

  FairChooser(long quantumBytes) {
    this.quantum = quantumBytes;
  }

  @Override
  public void ready(SplitBuffer split, long nowNanos) {
    if (split.heapIndex == NOT_IN_TURN) {
      split.heapIndex = IN_TURN;
      split.deficit = 0;
      turn.addLast(split);
      ready++;
    }
  }

  @Override
  public void notReady(SplitBuffer split) {
    if (split.heapIndex != NOT_IN_TURN) {
      split.heapIndex = NOT_IN_TURN;
      turn.removeFirstOccurrence(split);
      ready--;
    }
  }

  @Override
  public SplitBuffer next(long horizon, long nowNanos) {
    SplitBuffer first = turn.peekFirst();
    while (first != null && first.deficit + quantum <= 0) {
      first.deficit += quantum;
      turn.addLast(turn.pollFirst());
      first = turn.peekFirst();
    }
    return first;
  }

  @Override
  public long runUntil(SplitBuffer split, long horizon) {
    return Long.MAX_VALUE;
  }

  @Override
  public long runBytes(SplitBuffer split) {
    return split.deficit + quantum;
  }

  @Override
  public void served(SplitBuffer split, long takenBytes, boolean stillReady, long nowNanos) {
    turn.removeFirstOccurrence(split);
    if (stillReady) {
      split.deficit = Math.min(0, split.deficit + quantum - takenBytes);
      turn.addLast(split);
    } else {
      split.heapIndex = NOT_IN_TURN;
      ready--;
    }
  }

  @Override
  public boolean waits() {
    return false;
  }

  @Override
  public int size() {
    return ready;
  }
}
