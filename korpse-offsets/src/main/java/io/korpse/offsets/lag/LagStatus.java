package io.korpse.offsets.lag;

/** How a partition, or a group of them, is doing; later ones are worse. */
public enum LagStatus {
  /** Caught up, or catching up. */
  OK(1),
  /**
   * Too little is known: no log end, or no position yet. Worse than OK, since it may be anything.
   */
  UNKNOWN(0),
  /** Moving, but the lag was there for the whole window and never got less. */
  WARNING(2),
  /** Work is done but the group does not get to know: the commits do not follow the position. */
  NOT_COMMITTING(3),
  /** Records are lost: retention overtook the position. */
  LOSING_RECORDS(4),
  /** Moved before, but longer ago than it had been moving, with lag. */
  STOPPED(5),
  /** Did not move for the whole window, with lag. */
  STALLED(6),
  /** Went back, and has not reached again where it was. */
  REWOUND(7);

  private final int code;

  LagStatus(int code) {
    this.code = code;
  }

  /** The number for a gauge: 0 for {@link #UNKNOWN} to 7 for {@link #REWOUND}. */
  public int code() {
    return code;
  }

  /** The worse of both. */
  public LagStatus worse(LagStatus other) {
    return compareTo(other) >= 0 ? this : other;
  }
}
