package io.korpse.flink.source;

/**
 * When the positions of what was emitted are written to the consumer group. In each mode a {@link
 * io.korpse.flink.source.deserializer.BadRecordHandler} has flushed before positions behind the
 * records that it was given are written.
 */
public enum CommitMode {
  /**
   * When a checkpoint is complete, which includes the one that Flink takes when a streaming job has
   * read everything. Without checkpoints nothing is committed.
   */
  ON_CHECKPOINT,

  /**
   * As {@link #ON_CHECKPOINT}, and when a reader has emitted all that it is to read before there
   * was any checkpoint: for {@code BATCH} jobs, which take none. The group is then ahead of what
   * later operators do; if they fail and the job is submitted anew from committed offsets, it does
   * not read those records again. (A restart by Flink does.)
   */
  ON_CHECKPOINT_OR_END,

  /**
   * In intervals, for jobs without checkpoints: what was emitted, whether or not its effects are
   * durable. With a handler of bad records the task thread commits, so that the handler can flush
   * first: under backpressure the commit then waits until the next record is taken. Not for batch
   * jobs with speculative execution: the slower attempt of a reader may commit after the other has
   * committed all, and leave the group behind. {@link #ON_CHECKPOINT_OR_END} commits at ends only.
   */
  PERIODIC,

  /** Never. Positions live in Flink's state only. */
  DISABLED;

  /** Whether the positions of a checkpoint are committed when it is complete. */
  public boolean onCheckpoints() {
    return this == ON_CHECKPOINT || this == ON_CHECKPOINT_OR_END;
  }
}
