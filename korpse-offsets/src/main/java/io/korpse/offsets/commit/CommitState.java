package io.korpse.offsets.commit;

/** How a group's commits are doing. */
public enum CommitState {
  /** Nothing was submitted yet. */
  IDLE,
  /** The last request was answered; single partitions may still be refused. */
  COMMITTING,
  /** The last request failed for a reason that passes; it is tried again with backoff. */
  RETRYING,
  /** The group has live members, which forbids commits from outside; tried again slowly. */
  BLOCKED_BY_MEMBERS,
  /** The group may not be written, or its id is refused; tried again slowly. */
  SUSPENDED,
  /** The broker answers with an error that nobody expected; tried again slowly. */
  FAILING,
  /** The committer was closed. */
  CLOSED
}
