package io.korpse.flink.jobs.chaos;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Follows the committed positions of a group, which should never go back. Not thread-safe. */
final class GroupWatch {

  private final Admin admin;
  private final String group;
  private final List<TopicPartition> partitions;
  private final Map<TopicPartition, Long> committed = new HashMap<>();
  private long stepsBack;

  GroupWatch(Admin admin, String group, List<TopicPartition> partitions) {
    this.admin = admin;
    this.group = group;
    this.partitions = partitions;
  }

  /** Asks the coordinator; does nothing when it does not answer. */
  void look() throws InterruptedException {
    try {
      Map<TopicPartition, OffsetAndMetadata> now =
          admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
      now.forEach(
          (partition, position) -> {
            if (position != null) {
              Long before = committed.put(partition, position.offset());
              stepsBack += before != null && before > position.offset() ? 1 : 0;
            }
          });
    } catch (ExecutionException e) {
      // A broker is down on purpose; the next look will tell.
    }
  }

  /** How often a position was lower than before. */
  long stepsBack() {
    return stepsBack;
  }

  /** Sum of the positions seen last. */
  long committed() {
    return committed.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Whether the group has committed everything that is in the topic. */
  boolean atEnd() throws InterruptedException {
    look();
    try {
      Map<TopicPartition, OffsetSpec> latest =
          partitions.stream().collect(Collectors.toMap(p -> p, p -> OffsetSpec.latest()));
      return admin.listOffsets(latest).all().get().entrySet().stream()
          .allMatch(end -> committed.getOrDefault(end.getKey(), 0L) >= end.getValue().offset());
    } catch (ExecutionException e) {
      return false;
    }
  }
}
