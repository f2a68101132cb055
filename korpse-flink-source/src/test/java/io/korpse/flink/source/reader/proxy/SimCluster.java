package io.korpse.flink.source.reader.proxy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;

/** Simulated brokers: the partitions, who leads them, and the fetch requests that wait for data. */
final class SimCluster {

  private final SimScheduler scheduler;
  private final LongSupplier latencyNanos;
  private final Map<TopicPartition, SimPartition> partitions = new LinkedHashMap<>();
  private final List<SimFetchSession> waiting = new ArrayList<>();

  SimCluster(SimScheduler scheduler) {
    this(scheduler, () -> Duration.ofNanos(250_000).toNanos());
  }

  /** Creates a cluster whose messages take {@code latencyNanos} each way. */
  SimCluster(SimScheduler scheduler, LongSupplier latencyNanos) {
    this.scheduler = scheduler;
    this.latencyNanos = latencyNanos;
  }

  SimScheduler scheduler() {
    return scheduler;
  }

  SimPartition create(TopicPartition id, int leader) {
    SimPartition partition = new SimPartition(id, leader);
    partitions.put(id, partition);
    return partition;
  }

  SimPartition partition(TopicPartition id) {
    SimPartition partition = partitions.get(id);
    if (partition == null) {
      throw new IllegalArgumentException("No partition " + id);
    }
    return partition;
  }

  /** Appends one batch of data. */
  void append(TopicPartition id, List<SimRecord> records) {
    append(id, records, 0);
  }

  /** Appends one batch of data that takes {@code wireBytes} on the wire. */
  void append(TopicPartition id, List<SimRecord> records, int wireBytes) {
    partition(id).append(SimBatch.Kind.DATA, records, wireBytes);
    changed();
  }

  /** Appends the records of a transaction and its marker. */
  void appendTransaction(TopicPartition id, List<SimRecord> records, boolean commit) {
    SimPartition partition = partition(id);
    partition.openTransaction();
    partition.append(commit ? SimBatch.Kind.DATA : SimBatch.Kind.ABORTED, records, 0);
    changed();
    partition.appendMarker();
    changed();
  }

  /** Moves the leadership, to nobody with {@link SimPartition#NO_LEADER}. */
  void elect(TopicPartition id, int leader) {
    partition(id).elect(leader);
    changed();
  }

  void truncate(TopicPartition id, long offset, int leader) {
    partition(id).truncateTo(offset, leader);
    changed();
  }

  void deleteBefore(TopicPartition id, long offset) {
    partition(id).deleteBefore(offset);
    changed();
  }

  /** What a metadata request of a client finds now. */
  Map<TopicPartition, SimLeader> leaders() {
    Map<TopicPartition, SimLeader> leaders = new HashMap<>();
    partitions.forEach((id, p) -> leaders.put(id, new SimLeader(p.leader(), p.epoch())));
    return leaders;
  }

  /** Sends a message: the action runs at the other side after the latency. */
  void send(Runnable action) {
    scheduler.afterNanos(latencyNanos.getAsLong(), action);
  }

  void await(SimFetchSession session) {
    waiting.add(session);
  }

  void forget(SimFetchSession session) {
    waiting.remove(session);
  }

  private void changed() {
    for (SimFetchSession session : List.copyOf(waiting)) {
      session.attempt(false);
    }
  }
}
