package io.korpse.flink.source;

/** When the positions of what was emitted are written to the consumer group. */
public enum CommitMode {
  /** When a checkpoint is complete, and at the end of a bounded job. Needs a group. */
  ON_CHECKPOINT,

  /**
   * In intervals, for jobs without checkpoints: what was emitted, whether or not its effects are
   * durable.
   */
  PERIODIC,

  /** Never. Positions live in Flink's state only. */
  DISABLED
}
