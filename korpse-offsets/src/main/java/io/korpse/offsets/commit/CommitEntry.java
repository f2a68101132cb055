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

  /** The group does not have it any more. */
  void resend(long now) {
    inGroup = null;
    wantedSince = now;
  }

  boolean isPending() {
    return wanted != null && !wanted.equals(inGroup);
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
