package io.korpse.offsets.lag;

import java.util.Arrays;

/**
 * The recent past of one partition by the clock, and the judgement on it. Confined to the tracker's
 * thread.
 *
 * <p>The rules are Burrow's, on samples of the position that are taken at fixed times instead of on
 * commits that come when they come: a commit interval longer than the window then makes no false
 * alarm. Commits have a rule of their own.
 */
final class LagWindow {

  /** Take what is usual between commits for what is expected. */
  static final long LEARN = -1;

  /** As {@link #LEARN}, but before the first commit none is expected. */
  static final long LEARN_FROM_FIRST = -2;

  /** What may be usual is not known before work was committed: longer than most checkpoints. */
  private static final int UNLEARNED_WINDOWS = 10;

  private static final int SLOTS = 16;
  private static final int MARKS = 32;
  private static final long NONE = -1;

  private final long slotMillis;
  private final long windowMillis;
  private final long commitLimitMillis;

  private final long[] lags = new long[SLOTS];
  private final long[] takenAt = new long[SLOTS];
  private int samples;

  private long position = NONE;
  private long firstPosition = NONE;
  private long firstMovedAt = NONE;
  private long lastMovedAt = NONE;
  private long watchedSince = NONE;
  private long lastCaughtUpAt = NONE;
  private long rewoundFrom = NONE;
  private long lastCommitted = NONE;
  private long lastCommitAt = NONE;
  private long usualCommitGap = NONE;

  // Positions and when they were first seen, oldest first. A new one keeps a distance that grows
  // with the age of the oldest, so that any age is known to a few percent.
  private final long[] markPositions = new long[MARKS];
  private final long[] markTimes = new long[MARKS];
  private int marks;

  /**
   * A window.
   *
   * @param commitLimitMillis the age from which uncommitted work is a finding; {@link #LEARN}:
   *     three times the longest time that work has lately waited for a commit since the one before,
   *     at least half the window, and ten windows before that is known
   */
  LagWindow(long windowMillis, long commitLimitMillis) {
    this.windowMillis = windowMillis;
    this.slotMillis = Math.max(1, windowMillis / SLOTS);
    this.commitLimitMillis = commitLimitMillis;
  }

  /** Takes note of where the partition is. */
  void observe(long now, long newPosition, long committed) {
    if (watchedSince == NONE) {
      watchedSince = now;
      firstPosition = newPosition;
    }
    if (committed != lastCommitted) {
      committed(now, committed);
    }
    if (position != NONE && newPosition != position) {
      moved(now, newPosition);
    }
    position = newPosition;
    if (rewoundFrom != NONE && newPosition >= rewoundFrom) {
      rewoundFrom = NONE;
    }
    long covered = committed == NONE ? firstPosition : committed;
    if (marks == 0 ? newPosition > covered : newPosition > markPositions[marks - 1]) {
      mark(now, newPosition);
    }
    dropCovered(covered);
  }

  private void committed(long now, long committed) {
    if (lastCommitAt != NONE && marks > 0) {
      // Without work nothing is committed: a quiet night says nothing about commits.
      long gap = now - Math.max(lastCommitAt, uncommittedSince());
      usualCommitGap = Math.max(gap, usualCommitGap - usualCommitGap / 8);
    }
    lastCommitted = committed;
    lastCommitAt = now;
  }

  private long commitLimitMillis() {
    if (commitLimitMillis >= 0) {
      return commitLimitMillis;
    }
    if (usualCommitGap != NONE) {
      return Math.max(windowMillis / 2, 3 * usualCommitGap);
    }
    return commitLimitMillis == LEARN_FROM_FIRST && lastCommitAt == NONE
        ? Long.MAX_VALUE
        : UNLEARNED_WINDOWS * windowMillis;
  }

  private void moved(long now, long newPosition) {
    if (newPosition < position) {
      rewoundFrom = Math.max(rewoundFrom, position);
      marks = 0;
    }
    if (firstMovedAt == NONE || now - lastMovedAt > windowMillis) {
      firstMovedAt = now;
    }
    lastMovedAt = now;
  }

  private void mark(long now, long newPosition) {
    if (marks > 0 && now - markTimes[marks - 1] < (now - markTimes[0]) / (MARKS / 2)) {
      return;
    }
    if (marks == MARKS) {
      int kept = 0;
      for (int i = 0; i < MARKS; i += 2) {
        markPositions[kept] = markPositions[i];
        markTimes[kept++] = markTimes[i];
      }
      marks = kept;
    }
    markPositions[marks] = newPosition;
    markTimes[marks++] = now;
  }

  private void dropCovered(long covered) {
    int done = 0;
    while (done < marks && markPositions[done] <= covered) {
      done++;
    }
    if (done > 0) {
      System.arraycopy(markPositions, done, markPositions, 0, marks - done);
      System.arraycopy(markTimes, done, markTimes, 0, marks - done);
      marks -= done;
    }
  }

  /** When the oldest position was seen that is not committed; -1 if there is none. */
  long uncommittedSince() {
    return marks == 0 ? NONE : markTimes[0];
  }

  /** Judges the partition after {@link #observe}. */
  LagStatus judge(
      long now, long newPosition, long lag, boolean isOvertaken, long uncommittedAgeMillis) {
    keep(now, lag);
    if (rewoundFrom != NONE && newPosition < rewoundFrom) {
      return LagStatus.REWOUND;
    }
    if (isOvertaken) {
      return LagStatus.LOSING_RECORDS;
    }
    if (lag == 0) {
      lastCaughtUpAt = now;
    }
    boolean isBehind = lag > 0 && (lastCaughtUpAt == NONE || now - lastCaughtUpAt > slotMillis);
    if (isBehind && isStalled(now)) {
      return LagStatus.STALLED;
    }
    if (isBehind && isStopped(now)) {
      return LagStatus.STOPPED;
    }
    if (uncommittedAgeMillis > commitLimitMillis()) {
      return LagStatus.NOT_COMMITTING;
    }
    return isBehind && isNeverGettingLess(now) ? LagStatus.WARNING : LagStatus.OK;
  }

  private void keep(long now, long lag) {
    if (samples > 0 && now - takenAt[samples - 1] < slotMillis) {
      return;
    }
    if (samples == SLOTS) {
      System.arraycopy(lags, 1, lags, 0, SLOTS - 1);
      System.arraycopy(takenAt, 1, takenAt, 0, SLOTS - 1);
      samples--;
    }
    lags[samples] = lag;
    takenAt[samples++] = now;
  }

  private boolean isStalled(long now) {
    long since = Math.max(lastMovedAt, Math.max(lastCaughtUpAt, watchedSince));
    return now - since >= windowMillis;
  }

  private boolean isStopped(long now) {
    if (lastMovedAt == NONE) {
      return false;
    }
    long still = now - Math.max(lastMovedAt, lastCaughtUpAt);
    return still > Math.max(windowMillis / 4, Math.min(windowMillis, lastMovedAt - firstMovedAt));
  }

  private boolean isNeverGettingLess(long now) {
    if (samples < SLOTS || now - takenAt[0] < windowMillis - slotMillis) {
      return false;
    }
    for (int i = 0; i < samples; i++) {
      if (lags[i] == 0 || (i > 0 && lags[i] < lags[i - 1])) {
        return false;
      }
    }
    return true;
  }

  @Override
  public String toString() {
    return "LagWindow" + Arrays.toString(lags);
  }
}
