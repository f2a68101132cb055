package io.korpse.offsets.lag;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/** What the tracker asks of the brokers; Admin in production, a fake in tests. */
interface EndOffsets {

  /** One request; one future per partition. */
  Map<TopicPartition, CompletableFuture<Long>> list(
      Collection<TopicPartition> partitions,
      OffsetSpec spec,
      IsolationLevel isolation,
      Duration timeout);

  /** What the group has committed; partitions without a commit or with an error are left out. */
  CompletableFuture<Map<TopicPartition, Long>> committed(
      String groupId, Collection<TopicPartition> partitions, Duration timeout);

  /** Gives the connections back. */
  void close();
}
