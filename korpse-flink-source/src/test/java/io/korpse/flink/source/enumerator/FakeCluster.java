package io.korpse.flink.source.enumerator;

import io.korpse.offsets.OffsetRule;
import io.korpse.offsets.Origin;
import io.korpse.offsets.Position;
import io.korpse.offsets.Resolution;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * Topics in memory. Every log starts at 10 and ends at 100; committed is 50; other rules give 70.
 */
final class FakeCluster implements Cluster {

  private final Map<TopicPartition, Uuid> partitions = new HashMap<>();
  private final Map<TopicPartition, Uuid> unsubscribed = new HashMap<>();
  private final Set<String> missing = new HashSet<>();
  private final Map<TopicPartition, Resolution.Unresolved> failing = new HashMap<>();
  private final List<String> asked = new ArrayList<>();
  private int failures;
  private int discoveries;
  private boolean closed;

  FakeCluster topic(String name, int count, Uuid id) {
    for (int partition = 0; partition < count; partition++) {
      partitions.put(new TopicPartition(name, partition), id);
    }
    missing.remove(name);
    return this;
  }

  /** A topic that is there, and not subscribed to. */
  FakeCluster unsubscribed(String name, int count, Uuid id) {
    for (int partition = 0; partition < count; partition++) {
      unsubscribed.put(new TopicPartition(name, partition), id);
    }
    return this;
  }

  FakeCluster without(String name) {
    partitions.keySet().removeIf(partition -> partition.topic().equals(name));
    unsubscribed.keySet().removeIf(partition -> partition.topic().equals(name));
    return this;
  }

  FakeCluster addPartition(String name, int partition) {
    partitions.put(
        new TopicPartition(name, partition), partitions.get(new TopicPartition(name, 0)));
    return this;
  }

  Map<TopicPartition, Uuid> partitions() {
    return partitions;
  }

  FakeCluster missing(String name) {
    missing.add(name);
    return without(name);
  }

  void failNext(int times) {
    failures = times;
  }

  FakeCluster fail(TopicPartition partition, boolean retriable) {
    failing.put(
        partition,
        new Resolution.Unresolved(partition, retriable, partition + " has no leader", null));
    return this;
  }

  void heal(TopicPartition partition) {
    failing.remove(partition);
  }

  int discoveries() {
    return discoveries;
  }

  /** The rules that were asked for, each with the number of partitions. */
  List<String> asked() {
    return asked;
  }

  boolean isClosed() {
    return closed;
  }

  @Override
  public Discovered discover() throws IOException {
    discoveries++;
    if (failures > 0) {
      failures--;
      throw new IOException("the cluster is away");
    }
    return new Discovered(partitions, missing);
  }

  @Override
  public Map<TopicPartition, Uuid> existing(Set<TopicPartition> wanted) {
    Map<TopicPartition, Uuid> found = new HashMap<>(unsubscribed);
    found.keySet().retainAll(wanted);
    return found;
  }

  @Override
  public Map<TopicPartition, Resolution> resolve(
      Collection<TopicPartition> wanted, OffsetRule rule) {
    asked.add(rule + " x " + wanted.size());
    Map<TopicPartition, Resolution> answers = new HashMap<>();
    for (TopicPartition partition : wanted) {
      answers.put(
          partition,
          failing.containsKey(partition) ? failing.get(partition) : answer(partition, rule));
    }
    return answers;
  }

  private static Resolution answer(TopicPartition partition, OffsetRule rule) {
    if (rule instanceof OffsetRule.Earliest) {
      return new Resolution.Resolved(partition, Position.of(10), Origin.EARLIEST, "");
    } else if (rule instanceof OffsetRule.Latest) {
      return new Resolution.Resolved(partition, Position.of(100), Origin.LATEST, "");
    } else if (rule instanceof OffsetRule.Committed) {
      return new Resolution.Resolved(partition, new Position(50, 3), Origin.COMMITTED, "");
    }
    if (rule instanceof OffsetRule.Explicit explicit
        && !explicit.offsets().containsKey(partition)) {
      return answer(partition, explicit.fallback());
    }
    return new Resolution.Resolved(partition, Position.of(70), Origin.CUSTOM, "");
  }

  @Override
  public void close() {
    closed = true;
  }
}
