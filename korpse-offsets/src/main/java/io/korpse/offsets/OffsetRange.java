package io.korpse.offsets;

import java.util.Objects;
import org.apache.kafka.common.TopicPartition;

/**
 * What a program did with one partition in one batch.
 *
 * @param from the position where it started
 * @param until the position where it stopped: what is committed
 */
public record OffsetRange(TopicPartition partition, long from, Position until) {

  /** Rejects a range that ends before it starts. */
  public OffsetRange {
    Objects.requireNonNull(partition, "partition");
    if (from < 0 || until.offset() < from) {
      throw new IllegalArgumentException(
          "The range of "
              + partition
              + " goes from "
              + from
              + " until "
              + until
              + "; it must start at 0 or later and not end before it starts");
    }
  }

  /** A range without a leader epoch. */
  public static OffsetRange of(TopicPartition partition, long from, long until) {
    return new OffsetRange(partition, from, Position.of(until));
  }
}
