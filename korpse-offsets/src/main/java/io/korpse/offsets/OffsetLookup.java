package io.korpse.offsets;

import java.util.Collection;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * What {@link CustomOffsets} may ask the brokers. Each answer holds only the partitions that could
 * be asked and that have such an offset. Blocking; for the calling thread only.
 */
public interface OffsetLookup {

  /** What the group has committed; a partition without a commit is left out. */
  Map<TopicPartition, Long> committed(Collection<TopicPartition> partitions);

  /** The log start offsets. */
  Map<TopicPartition, Long> earliest(Collection<TopicPartition> partitions);

  /** The log end offsets by the isolation level of the resolver. */
  Map<TopicPartition, Long> latest(Collection<TopicPartition> partitions);

  /**
   * The offsets of the first record at or after each timestamp (milliseconds since 1970); a
   * partition without such a record is left out.
   */
  Map<TopicPartition, Long> atTimestamps(Map<TopicPartition, Long> timestamps);
}
