package io.korpse.flink.source;

/** Which split gives the next records when several have some. */
public enum RecordOrder {
  /**
   * The split whose next record has the lowest timestamp. A split that is empty but has more on the
   * broker is waited for, for a bounded time.
   */
  EVENT_TIME,

  /** Every split in turn, by bytes. */
  FAIR
}
