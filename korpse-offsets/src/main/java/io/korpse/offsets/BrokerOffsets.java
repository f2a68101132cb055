package io.korpse.offsets;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/** What resolving asks of the brokers; Admin in production, a fake in tests. */
interface BrokerOffsets {

  /** An offset ({@code -1}: none) with the leader epoch of the record there. */
  record Found(long offset, int leaderEpoch) {}

  /** One future per partition, so that one without a leader does not hold up the rest. */
  Map<TopicPartition, CompletableFuture<Found>> list(
      Map<TopicPartition, OffsetSpec> specs, IsolationLevel isolation, Duration timeout);

  /**
   * Stable committed offsets. A null value means that nothing is committed; a partition that is
   * missing from the answer had an error or an open transaction.
   */
  CompletableFuture<Map<TopicPartition, OffsetAndMetadata>> committed(
      String groupId, Collection<TopicPartition> partitions, Duration timeout);

  /** Why a partition cannot be asked, in words; partitions without a finding are left out. */
  CompletableFuture<Map<TopicPartition, String>> diagnose(
      Collection<TopicPartition> partitions, Duration timeout);
}
