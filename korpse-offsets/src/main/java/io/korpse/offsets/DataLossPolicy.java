package io.korpse.offsets;

/** What to do when an offset that should be read is not in the log. */
public enum DataLossPolicy {
  /** Say so and stop. The default. */
  FAIL,
  /** Go on at the log start (at the log end when the offset lies beyond it). */
  EARLIEST,
  /** Go on at the log end. */
  LATEST
}
