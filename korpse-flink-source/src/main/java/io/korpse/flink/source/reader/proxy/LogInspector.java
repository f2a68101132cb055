package io.korpse.flink.source.reader.proxy;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;

/** Asks the broker about the logs of splits that were just added. */
@FunctionalInterface
public interface LogInspector {

  /** Asks nobody: ends and epochs stay unknown until records come. */
  LogInspector NONE = partitions -> CompletableFuture.completedStage(Map.of());

  /**
   * The end of a log.
   *
   * @param offset the last stable offset when reading committed, else the high watermark
   * @param leaderEpoch the partition's current leader epoch, -1 when the broker does not tell
   */
  record LogEnd(long offset, int leaderEpoch) {}

  /**
   * Called on the fetcher thread; must not block. One request for all partitions; a partition that
   * could not be asked is missing in the answer.
   */
  CompletionStage<Map<TopicPartition, LogEnd>> inspect(Collection<TopicPartition> partitions);
}
