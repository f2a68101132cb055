package io.korpse.offsets.lag;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Log bounds in memory. */
final class FakeEnds implements EndOffsets {

  /** What was asked in one request. */
  record Request(Set<TopicPartition> partitions, boolean isEnd, IsolationLevel isolation) {}

  final Map<TopicPartition, Long> starts = new ConcurrentHashMap<>();
  final Map<TopicPartition, Long> stableEnds = new ConcurrentHashMap<>();
  final Map<TopicPartition, Long> ends = new ConcurrentHashMap<>();
  final Map<TopicPartition, Long> commits = new ConcurrentHashMap<>();
  int commitRequests;
  final List<Request> requests = new ArrayList<>();
  final Map<TopicPartition, RuntimeException> failures = new ConcurrentHashMap<>();
  boolean isDown;
  boolean areCommitsDown;
  volatile boolean isClosed;

  @Override
  public void list(
      List<PartitionLag> partitions,
      OffsetSpec spec,
      IsolationLevel isolation,
      Duration timeout,
      Answer onAnswer) {
    if (isDown) {
      throw new KafkaException("down");
    }
    boolean isEnd = spec instanceof OffsetSpec.LatestSpec;
    requests.add(
        new Request(
            partitions.stream().map(PartitionLag::partition).collect(Collectors.toSet()),
            isEnd,
            isolation));
    Map<TopicPartition, Long> values =
        !isEnd ? starts : isolation == IsolationLevel.READ_COMMITTED ? stableEnds : ends;
    for (PartitionLag lag : partitions) {
      if (failures.containsKey(lag.partition())) {
        onAnswer.take(lag, null, failures.get(lag.partition()));
      } else if (values.containsKey(lag.partition())) {
        onAnswer.take(lag, values.get(lag.partition()), null);
      }
    }
  }

  @Override
  public CompletableFuture<Map<TopicPartition, Long>> committed(
      String groupId, Collection<TopicPartition> partitions, Duration timeout) {
    if (areCommitsDown) {
      throw new KafkaException("down");
    }
    commitRequests++;
    Map<TopicPartition, Long> found = new HashMap<>(commits);
    found.keySet().retainAll(partitions);
    return CompletableFuture.completedFuture(found);
  }

  @Override
  public void close() {
    isClosed = true;
  }
}
