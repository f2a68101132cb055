package io.korpse.offsets;

import org.apache.kafka.common.TopicPartition;

/** The answer for one partition: a position and where it came from, or why there is none. */
public sealed interface Resolution {

  /** The partition that was asked for. */
  TopicPartition partition();

  /**
   * A position.
   *
   * @param detail what a log line should add, for example why a fallback was taken; may be empty
   */
  record Resolved(TopicPartition partition, Position position, Origin origin, String detail)
      implements Resolution {
    @Override
    public String toString() {
      return partition
          + " at "
          + position
          + " ("
          + origin
          + (detail.isEmpty() ? "" : ": " + detail)
          + ")";
    }
  }

  /**
   * No position.
   *
   * @param retriable whether asking again later can help without anyone changing anything
   * @param reason names the partition, the group where it matters, and the remedy
   * @param cause null when the brokers answered without an error
   */
  record Unresolved(TopicPartition partition, boolean retriable, String reason, Throwable cause)
      implements Resolution {}
}
