package io.korpse.flink.source;

/** What happens to a record that the schema cannot read. */
public enum BadRecordPolicy {
  /** The task fails, and the message names topic, partition, offset and sizes. */
  FAIL,

  /** The record is skipped and counted; too many within the window fail the task. */
  SKIP,

  /** The record is given to the handler that the builder was given, then counted as skipped. */
  HANDLER
}
