package io.korpse.offsets.commit;

/**
 * How long one commit may take: less than the checkpoints are apart.
 *
 * <p>A commit without a member id is not fenced. One that a task had queued when it was frozen must
 * therefore be over when the task goes on, or it sets the group back behind the attempt that has
 * taken over. The interval is learned from the checkpoints that are submitted, since neither the
 * reader nor this module is told of it. Not thread-safe.
 */
final class CommitTimeout {

  /** Below this a healthy broker would be given up; checkpoints may be closer than that. */
  static final long SHORTEST_MILLIS = 500;

  private final long longestMillis;

  private long lastId = -1;
  private long lastMillis;
  private long previousGap;
  private long newestGap;

  CommitTimeout(long longestMillis) {
    this.longestMillis = longestMillis;
  }

  /** A checkpoint was submitted; ids below 0 are no checkpoints. */
  void submitted(long checkpointId, long nowMillis) {
    if (checkpointId < 0 || checkpointId == lastId) {
      return;
    }
    if (lastId >= 0 && checkpointId > lastId) {
      previousGap = newestGap;
      // Failed checkpoints have ids too.
      newestGap = Math.max(1, (nowMillis - lastMillis) / (checkpointId - lastId));
    }
    lastId = checkpointId;
    lastMillis = nowMillis;
  }

  /** Three quarters of the interval, within the limits; the longest while nothing is known. */
  long millis() {
    // The larger of two: a savepoint comes soon after a checkpoint.
    long gap = Math.max(previousGap, newestGap);
    if (gap == 0) {
      return longestMillis;
    }
    return Math.min(longestMillis, Math.max(SHORTEST_MILLIS, gap * 3 / 4));
  }
}
