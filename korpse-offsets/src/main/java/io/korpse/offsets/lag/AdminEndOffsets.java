package io.korpse.offsets.lag;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/** {@link EndOffsets} by Admin. */
final class AdminEndOffsets implements EndOffsets {

  private final Admin admin;

  AdminEndOffsets(Admin admin) {
    this.admin = admin;
  }

  // One callback per partition and no chain of futures: at rest this is most of what lag costs.
  @Override
  public void list(
      List<PartitionLag> partitions,
      OffsetSpec spec,
      IsolationLevel isolation,
      Duration timeout,
      Answer onAnswer) {
    Map<TopicPartition, OffsetSpec> specs = new HashMap<>();
    partitions.forEach(lag -> specs.put(lag.partition(), spec));
    ListOffsetsResult result =
        admin.listOffsets(specs, new ListOffsetsOptions(isolation).timeoutMs(millis(timeout)));
    for (PartitionLag lag : partitions) {
      KafkaFuture<ListOffsetsResultInfo> unused =
          result
              .partitionResult(lag.partition())
              .whenComplete(
                  (info, failure) ->
                      onAnswer.take(lag, failure == null ? (Long) info.offset() : null, failure));
    }
  }

  @Override
  public CompletableFuture<Map<TopicPartition, Long>> committed(
      String groupId, Collection<TopicPartition> partitions, Duration timeout) {
    return admin
        .listConsumerGroupOffsets(
            Map.of(
                groupId,
                new ListConsumerGroupOffsetsSpec().topicPartitions(List.copyOf(partitions))),
            new ListConsumerGroupOffsetsOptions().timeoutMs(millis(timeout)))
        .partitionsToOffsetAndMetadata(groupId)
        .thenApply(
            commits -> {
              Map<TopicPartition, Long> offsets = new HashMap<>();
              commits.forEach(
                  (partition, commit) -> {
                    if (commit != null) {
                      offsets.put(partition, commit.offset());
                    }
                  });
              return offsets;
            })
        .toCompletionStage()
        .toCompletableFuture();
  }

  private static int millis(Duration timeout) {
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, timeout.toMillis()));
  }

  @Override
  public void close() {
    admin.close(Duration.ZERO);
  }
}
