package io.korpse.offsets;

import java.io.Serializable;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** The user's own choice of offsets. Called by the thread that resolves; may block. */
@FunctionalInterface
public interface CustomOffsets extends Serializable {

  /**
   * The next offset to read of each partition. A partition that is left out cannot be resolved; an
   * offset outside the log goes through the {@link DataLossPolicy}.
   */
  Map<TopicPartition, Long> offsets(Collection<TopicPartition> partitions, OffsetLookup lookup);

  /** Whether {@link OffsetLookup#committed} is used. */
  default boolean needsGroup() {
    return false;
  }
}
