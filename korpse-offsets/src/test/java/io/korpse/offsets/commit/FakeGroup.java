package io.korpse.offsets.commit;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;

/** A consumer group in memory that refuses what a test tells it to. Thread-safe. */
final class FakeGroup implements GroupClient {

  final Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
  final List<Map<TopicPartition, OffsetAndMetadata>> requests = new CopyOnWriteArrayList<>();
  final List<Duration> timeouts = new CopyOnWriteArrayList<>();
  final Map<TopicPartition, Errors> refusals = new HashMap<>();
  final Deque<Errors> groupErrors = new ArrayDeque<>();
  final Set<String> missingTopics = new HashSet<>();

  /** Partitions that a look-up leaves out, as the broker does when it must not tell. */
  final Set<TopicPartition> unreadable = new HashSet<>();

  final Deque<RuntimeException> lookupFailures = new ArrayDeque<>();

  List<String> members = List.of();
  int metadataLimit = 4096;
  int batchLimit = Integer.MAX_VALUE;
  int memberRequests;
  int lookups;
  boolean isClosed;

  /** While set, commits are accepted but their answers wait. */
  CompletableFuture<Void> gate;

  int inFlight;
  int mostInFlight;

  @Override
  public CompletableFuture<Map<TopicPartition, Errors>> commit(
      Map<TopicPartition, OffsetAndMetadata> request, Duration timeout) {
    CompletableFuture<Void> wait;
    synchronized (this) {
      requests.add(Map.copyOf(request));
      timeouts.add(timeout);
      inFlight++;
      mostInFlight = Math.max(mostInFlight, inFlight);
      wait = gate;
    }
    return (wait == null ? CompletableFuture.completedFuture(null) : wait)
        .thenApply(nothing -> answer(request));
  }

  private synchronized Map<TopicPartition, Errors> answer(
      Map<TopicPartition, OffsetAndMetadata> request) {
    inFlight--;
    Errors groupError = groupErrors.poll();
    if (groupError == null && request.size() > batchLimit) {
      groupError = Errors.UNKNOWN_SERVER_ERROR;
    }
    if (groupError == null && !members.isEmpty()) {
      groupError = Errors.UNKNOWN_MEMBER_ID;
    }
    Map<TopicPartition, Errors> results = new LinkedHashMap<>();
    for (Map.Entry<TopicPartition, OffsetAndMetadata> commit : request.entrySet()) {
      Errors error = groupError == null ? refusals.get(commit.getKey()) : groupError;
      if (error == null && commit.getValue().metadata().length() > metadataLimit) {
        error = Errors.OFFSET_METADATA_TOO_LARGE;
      }
      if (error == null) {
        offsets.put(commit.getKey(), commit.getValue());
        error = Errors.NONE;
      }
      results.put(commit.getKey(), error);
    }
    return results;
  }

  @Override
  public synchronized CompletableFuture<Map<TopicPartition, OffsetAndMetadata>> committed(
      Collection<TopicPartition> partitions, Duration timeout) {
    lookups++;
    if (!lookupFailures.isEmpty()) {
      return CompletableFuture.failedFuture(lookupFailures.poll());
    }
    Map<TopicPartition, OffsetAndMetadata> found = new HashMap<>();
    partitions.forEach(partition -> found.put(partition, offsets.get(partition)));
    found.keySet().removeAll(unreadable);
    return CompletableFuture.completedFuture(found);
  }

  @Override
  public synchronized CompletableFuture<List<String>> members(Duration timeout) {
    memberRequests++;
    return CompletableFuture.completedFuture(members);
  }

  @Override
  public synchronized CompletableFuture<Set<String>> missing(
      Collection<String> topics, Duration timeout) {
    Set<String> missing = new HashSet<>(topics);
    missing.retainAll(missingTopics);
    return CompletableFuture.completedFuture(missing);
  }

  @Override
  public synchronized void close() {
    isClosed = true;
  }

  synchronized Map<TopicPartition, OffsetAndMetadata> snapshot() {
    return new HashMap<>(offsets);
  }

  synchronized long offset(TopicPartition partition) {
    OffsetAndMetadata committed = offsets.get(partition);
    return committed == null ? -1 : committed.offset();
  }

  synchronized String metadata(TopicPartition partition) {
    return offsets.get(partition).metadata();
  }
}
