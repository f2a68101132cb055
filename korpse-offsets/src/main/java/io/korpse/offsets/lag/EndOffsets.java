package io.korpse.offsets.lag;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/** What the tracker asks of the brokers; Admin in production, a fake in tests. */
interface EndOffsets {

  /** Takes the answer for one partition. */
  interface Answer {

    /** One of {@code offset} and {@code failure} is null. */
    void take(PartitionLag lag, Long offset, Throwable failure);
  }

  /**
   * One request; each partition is answered by itself, on any thread.
   *
   * @param onAnswer told the offset, or the error
   */
  void list(
      List<PartitionLag> partitions,
      OffsetSpec spec,
      IsolationLevel isolation,
      Duration timeout,
      Answer onAnswer);

  /** What the group has committed; partitions without a commit or with an error are left out. */
  CompletableFuture<Map<TopicPartition, Long>> committed(
      String groupId, Collection<TopicPartition> partitions, Duration timeout);

  /** Gives the connections back. */
  void close();
}
