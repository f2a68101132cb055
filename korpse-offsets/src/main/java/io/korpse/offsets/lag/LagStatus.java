package io.korpse.offsets.lag;

/** How a partition, or a group of them, is doing; later ones are worse. */
public enum LagStatus {
  /** Too little is known: no log end, or no position yet. */
  UNKNOWN,
  /** Caught up, or catching up. */
  OK,
  /** Moving, but the lag was there for the whole window and never got less. */
  WARNING,
  /** Work is done but the group does not get to know: the commits do not follow the position. */
  NOT_COMMITTING,
  /** Records are lost: retention overtook the position. */
  LOSING_RECORDS,
  /** Moved before, but longer ago than it had been moving, with lag. */
  STOPPED,
  /** Did not move for the whole window, with lag. */
  STALLED,
  /** Went back, and has not reached again where it was. */
  REWOUND;

  /** The worse of both. */
  public LagStatus worse(LagStatus other) {
    return compareTo(other) >= 0 ? this : other;
  }
}
