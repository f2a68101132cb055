package io.korpse.offsets.lag;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/** What the tracker asks of the brokers; Admin in production, a fake in tests. */
interface EndOffsets {

  /**
   * One request; each partition is answered by itself, on any thread.
   *
   * @param onAnswer told the offset, or null when there is an error
   */
  void list(
      List<PartitionLag> partitions,
      OffsetSpec spec,
      IsolationLevel isolation,
      Duration timeout,
      BiConsumer<PartitionLag, Long> onAnswer);

  /** What the group has committed; partitions without a commit or with an error are left out. */
  CompletableFuture<Map<TopicPartition, Long>> committed(
      String groupId, Collection<TopicPartition> partitions, Duration timeout);

  /** Gives the connections back. */
  void close();
}
