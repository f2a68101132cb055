package io.korpse.offsets.commit;

/** How a group's commits are doing. */
public enum CommitState {
  /** Nothing was submitted yet. */
  IDLE(0),
  /** The last request was answered; single partitions may still be refused. */
  COMMITTING(1),
  /** The last request failed for a reason that passes; it is tried again with backoff. */
  RETRYING(2),
  /** The group has live members, which forbids commits from outside; tried again slowly. */
  BLOCKED_BY_MEMBERS(3),
  /** The group may not be written, or its id is refused; tried again slowly. */
  SUSPENDED(4),
  /** The broker answers with an error that nobody expected; tried again slowly. */
  FAILING(5),
  /** The committer was closed. */
  CLOSED(6);

  private final int code;

  CommitState(int code) {
    this.code = code;
  }

  /** The number for a gauge: 0 for {@link #IDLE} to 6 for {@link #CLOSED}. */
  public int code() {
    return code;
  }
}
