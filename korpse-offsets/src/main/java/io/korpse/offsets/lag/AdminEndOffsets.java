package io.korpse.offsets.lag;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/** {@link EndOffsets} by Admin. */
final class AdminEndOffsets implements EndOffsets {

  private final Admin admin;

  AdminEndOffsets(Admin admin) {
    this.admin = admin;
  }

  @Override
  public Map<TopicPartition, CompletableFuture<Long>> list(
      Collection<TopicPartition> partitions,
      OffsetSpec spec,
      IsolationLevel isolation,
      Duration timeout) {
    Map<TopicPartition, OffsetSpec> specs = new HashMap<>();
    partitions.forEach(partition -> specs.put(partition, spec));
    ListOffsetsResult result =
        admin.listOffsets(
            specs,
            new ListOffsetsOptions(isolation)
                .timeoutMs((int) Math.max(1, Math.min(Integer.MAX_VALUE, timeout.toMillis()))));
    Map<TopicPartition, CompletableFuture<Long>> futures = new HashMap<>();
    for (TopicPartition partition : specs.keySet()) {
      futures.put(
          partition,
          result
              .partitionResult(partition)
              .thenApply(ListOffsetsResult.ListOffsetsResultInfo::offset)
              .toCompletionStage()
              .toCompletableFuture());
    }
    return futures;
  }

  @Override
  public void close() {
    admin.close(Duration.ZERO);
  }
}
