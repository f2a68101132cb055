package io.korpse.flink.source.reader.proxy;

import io.korpse.offsets.Position;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;

/** Decides where a split goes on whose offset the broker does not have. */
@FunctionalInterface
public interface LossHandler {

  /**
   * Called on the fetcher thread; must not block. The split is paused until the answer is there.
   *
   * @param partition the partition
   * @param offset the offset that was asked for
   * @param divergent where the log was truncated, when the broker could tell
   * @return where to go on; completed exceptionally, the job fails with that error
   */
  CompletionStage<Position> resolve(TopicPartition partition, long offset, OptionalLong divergent);
}
