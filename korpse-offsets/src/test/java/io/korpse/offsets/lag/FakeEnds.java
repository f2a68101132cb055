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
  volatile boolean isClosed;

  @Override
  public Map<TopicPartition, CompletableFuture<Long>> list(
      Collection<TopicPartition> partitions,
      OffsetSpec spec,
      IsolationLevel isolation,
      Duration timeout) {
    if (isDown) {
      throw new KafkaException("down");
    }
    boolean isEnd = spec instanceof OffsetSpec.LatestSpec;
    requests.add(new Request(Set.copyOf(partitions), isEnd, isolation));
    Map<TopicPartition, Long> values =
        !isEnd ? starts : isolation == IsolationLevel.READ_COMMITTED ? stableEnds : ends;
    Map<TopicPartition, CompletableFuture<Long>> answers = new HashMap<>();
    for (TopicPartition partition : partitions) {
      if (failures.containsKey(partition)) {
        answers.put(partition, CompletableFuture.failedFuture(failures.get(partition)));
        continue;
      }
      Long value = values.get(partition);
      answers.put(
          partition,
          value == null ? new CompletableFuture<>() : CompletableFuture.completedFuture(value));
    }
    return answers;
  }

  @Override
  public CompletableFuture<Map<TopicPartition, Long>> committed(
      String groupId, Collection<TopicPartition> partitions, Duration timeout) {
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
