package io.korpse.offsets;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/** Logs and commits in memory. */
final class FakeBroker implements BrokerOffsets {

  /** One partition's log. */
  static final class Log {
    long start;
    long end;
    long lastStable;
    int epoch = 5;
    final TreeMap<Long, Long> offsetsByTimestamp = new TreeMap<>();

    Log(long start, long lastStable, long end) {
      this.start = start;
      this.lastStable = lastStable;
      this.end = end;
    }
  }

  final Map<TopicPartition, Log> logs = new HashMap<>();
  final Map<TopicPartition, OffsetAndMetadata> commits = new HashMap<>();
  final Set<TopicPartition> unstable = new HashSet<>();
  final Map<TopicPartition, RuntimeException> failures = new HashMap<>();
  final Map<TopicPartition, RuntimeException> timestampFailures = new HashMap<>();
  final Map<TopicPartition, String> findings = new HashMap<>();
  final Deque<RuntimeException> groupFailures = new ArrayDeque<>();
  Runnable betweenRequests = () -> {};
  int committedRequests;
  int listRequests;

  @Override
  public Map<TopicPartition, CompletableFuture<Found>> list(
      Map<TopicPartition, OffsetSpec> specs, IsolationLevel isolation, Duration timeout) {
    listRequests++;
    Map<TopicPartition, CompletableFuture<Found>> answers = new HashMap<>();
    specs.forEach((partition, spec) -> answers.put(partition, answer(partition, spec, isolation)));
    betweenRequests.run();
    return answers;
  }

  private CompletableFuture<Found> answer(
      TopicPartition partition, OffsetSpec spec, IsolationLevel isolation) {
    if (failures.containsKey(partition)) {
      return CompletableFuture.failedFuture(failures.get(partition));
    }
    Log log = logs.get(partition);
    if (log == null) {
      return new CompletableFuture<>();
    }
    long readable = isolation == IsolationLevel.READ_COMMITTED ? log.lastStable : log.end;
    if (spec instanceof OffsetSpec.EarliestSpec) {
      return CompletableFuture.completedFuture(new Found(log.start, 0));
    }
    if (spec instanceof OffsetSpec.LatestSpec) {
      return CompletableFuture.completedFuture(new Found(readable, log.epoch));
    }
    if (timestampFailures.containsKey(partition)) {
      return CompletableFuture.failedFuture(timestampFailures.get(partition));
    }
    Map.Entry<Long, Long> hit = log.offsetsByTimestamp.ceilingEntry(timestamp(spec));
    return CompletableFuture.completedFuture(
        hit == null || hit.getValue() >= readable
            ? new Found(-1, Position.NO_EPOCH)
            : new Found(hit.getValue(), 1));
  }

  private static long timestamp(OffsetSpec spec) {
    try {
      var method = OffsetSpec.TimestampSpec.class.getDeclaredMethod("timestamp");
      method.setAccessible(true);
      return (long) method.invoke(spec);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public CompletableFuture<Map<TopicPartition, OffsetAndMetadata>> committed(
      String groupId, Collection<TopicPartition> partitions, Duration timeout) {
    committedRequests++;
    if (!groupFailures.isEmpty()) {
      return CompletableFuture.failedFuture(groupFailures.poll());
    }
    Map<TopicPartition, OffsetAndMetadata> answer = new HashMap<>();
    for (TopicPartition partition : partitions) {
      if (!unstable.contains(partition)) {
        answer.put(partition, commits.get(partition));
      }
    }
    betweenRequests.run();
    return CompletableFuture.completedFuture(answer);
  }

  @Override
  public CompletableFuture<Map<TopicPartition, String>> diagnose(
      Collection<TopicPartition> partitions, Duration timeout) {
    return CompletableFuture.completedFuture(findings);
  }
}
