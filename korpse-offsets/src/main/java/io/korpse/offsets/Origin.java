package io.korpse.offsets;

/** Where a resolved offset came from. */
public enum Origin {
  /** The consumer group's committed offset. */
  COMMITTED,
  /** The log start. */
  EARLIEST,
  /** The log end. */
  LATEST,
  /** A timestamp. */
  TIMESTAMP,
  /** A duration before now. */
  DURATION,
  /** A number that the user gave. */
  EXPLICIT,
  /** The user's own code. */
  CUSTOM,
  /** The chosen offset was outside the log, and the {@link DataLossPolicy} gave another. */
  DATA_LOSS
}
