package io.korpse.flink.source.reader.proxy;

import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;

/** Finds where a split goes on whose next batch cannot be read. */
@FunctionalInterface
public interface UnreadableHandler {

  /**
   * Called on the fetcher thread; must not block. The split is paused until the answer is there.
   *
   * @param partition the partition
   * @param offset the first offset that cannot be read
   * @return the next offset that can be; {@code offset} itself when it turns out to be readable.
   *     Completed exceptionally, the job fails with that error
   */
  CompletionStage<Long> nextReadable(TopicPartition partition, long offset);
}
