package io.korpse.flink.source.reader.proxy;

/** What the client holds of one assigned partition. */
final class SimState {

  /** Whether the position can be used. */
  enum Fetching {
    INITIALIZING,
    FETCHING,
    AWAIT_VALIDATION
  }

  static final int NO_EPOCH = -1;

  boolean paused;
  Fetching fetching = Fetching.INITIALIZING;
  long position;
  int positionEpoch = NO_EPOCH;
  SimLeader leader = SimLeader.UNKNOWN;
  long nextRetryNanos;
  Long highWatermark;
  Long lastStable;
  boolean endRequested;

  boolean hasValidPosition() {
    return fetching == Fetching.FETCHING;
  }

  boolean isFetchable() {
    return !paused && hasValidPosition();
  }

  void seek(long offset, int offsetEpoch, SimLeader currentLeader) {
    position = offset;
    positionEpoch = offsetEpoch;
    validate(currentLeader);
  }

  /** The leader changed: a position that has an epoch must be checked with the new one. */
  void leaderIs(SimLeader current) {
    boolean hasPosition = fetching != Fetching.INITIALIZING;
    if (current.isPresent() && hasPosition && !leader.equals(current)) {
      validate(current);
    }
  }

  private void validate(SimLeader currentLeader) {
    leader = currentLeader;
    nextRetryNanos = 0;
    boolean checkable = positionEpoch != NO_EPOCH && currentLeader.epoch() != NO_EPOCH;
    fetching = checkable ? Fetching.AWAIT_VALIDATION : Fetching.FETCHING;
  }
}
