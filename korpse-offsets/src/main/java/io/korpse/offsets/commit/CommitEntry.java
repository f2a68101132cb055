package io.korpse.offsets.commit;

import io.korpse.offsets.Position;

/** What the plan knows of one partition. Confined to the committer's thread. */
final class CommitEntry {

  /** Not to be tried again before something new is submitted. */
  static final long PARKED = Long.MAX_VALUE;

  /** The newest submitted position; null until the first. */
  Position wanted;

  long checkpointId;

  /** When {@link #wanted} stopped being equal to {@link #inGroup}. */
  long wantedSince;

  /** What this committer has put into the group; null before the first time. */
  Position inGroup;

  long confirmedAt;

  /** Whether what the group holds was read since a request last failed. */
  boolean lookedUp;

  CommitMetadata.Foreign foreign;
  CommitMetadata.Detail detail = CommitMetadata.Detail.FULL;

  int failures;

  /** Milliseconds since 1970. */
  long notBefore;

  /** When it was parked, while it is. */
  private long parkedAt;

  /** Whether it was said that the topic is gone, since the last commit that was accepted. */
  boolean toldGone;

  /** The group does not have it any more. */
  void resend(long now) {
    inGroup = null;
    wantedSince = now;
  }

  boolean isPending() {
    return wanted != null && !wanted.equals(inGroup);
  }

  void park(long now) {
    notBefore = PARKED;
    parkedAt = now;
  }

  /** To be tried again as if it had never failed. */
  void unpark(long now) {
    notBefore = now;
    failures = 0;
  }

  /** Whether it has been left alone for so long that what is still wanted of it may be tried. */
  boolean isParkedFor(long millis, long now) {
    return isParked() && now - parkedAt >= millis;
  }

  boolean isParked() {
    return notBefore == PARKED;
  }

  boolean isDue(long now, long refreshMillis) {
    return wanted != null
        && now >= notBefore
        && (isPending() || now - confirmedAt >= refreshMillis);
  }
}
