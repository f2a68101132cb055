package io.korpse.flink.source.reader.proxy;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;

/**
 * The fetch session of one consumer with one broker, seen from the broker: which partitions are
 * read in which order, and the request that waits for data.
 *
 * <p>A full request is answered with all its partitions, an incremental one with those that have
 * changed. A partition that returned data goes to the end.
 */
final class SimFetchSession {

  private final SimCluster cluster;
  private final int node;
  private final SimConsumerConfig config;
  private final Map<TopicPartition, Cached> partitions = new LinkedHashMap<>();
  private boolean established;
  private Consumer<SimFetchResponse> waiting;
  private long request;

  SimFetchSession(SimCluster cluster, int node, SimConsumerConfig config) {
    this.cluster = cluster;
    this.node = node;
    this.config = config;
  }

  /**
   * Sends a request for these positions and no others.
   *
   * @param wanted position and leader epoch by partition, in the client's order
   * @param onResponse runs at the client when the response arrives
   */
  void send(Map<TopicPartition, Wanted> wanted, Consumer<SimFetchResponse> onResponse) {
    cluster.send(() -> arrive(wanted, onResponse));
  }

  private void arrive(Map<TopicPartition, Wanted> wanted, Consumer<SimFetchResponse> onResponse) {
    partitions.keySet().retainAll(wanted.keySet());
    wanted.forEach((id, w) -> partitions.computeIfAbsent(id, k -> new Cached()).wanted = w);
    waiting = onResponse;
    long number = ++request;
    if (!attempt(false)) {
      cluster.await(this);
      cluster
          .scheduler()
          .after(
              Duration.ofMillis(config.fetchMaxWaitMs()),
              () -> {
                if (number == request) {
                  attempt(true);
                }
              });
    }
  }

  /** Answers the waiting request if there is something to say, or if it waited long enough. */
  boolean attempt(boolean expired) {
    if (waiting == null) {
      return false;
    }
    Map<TopicPartition, SimFetchResponse.Data> read = readAll();
    boolean worthwhile =
        read.values().stream().anyMatch(data -> data.bytes() > 0 || data.error() != Errors.NONE);
    if (!worthwhile && !expired) {
      return false;
    }
    SimFetchResponse response = answer(read);
    Consumer<SimFetchResponse> receiver = waiting;
    waiting = null;
    cluster.forget(this);
    cluster.send(() -> receiver.accept(response));
    return true;
  }

  private Map<TopicPartition, SimFetchResponse.Data> readAll() {
    Map<TopicPartition, SimFetchResponse.Data> read = new LinkedHashMap<>();
    int left = config.fetchMaxBytes();
    boolean atLeastOne = true;
    for (Map.Entry<TopicPartition, Cached> entry : partitions.entrySet()) {
      SimFetchResponse.Data data = read(entry.getKey(), entry.getValue(), left, atLeastOne);
      atLeastOne &= data.bytes() == 0;
      left = Math.max(0, left - data.bytes());
      read.put(entry.getKey(), data);
    }
    return read;
  }

  private SimFetchResponse.Data read(
      TopicPartition id, Cached cached, int left, boolean atLeastOne) {
    SimPartition partition = cluster.partition(id);
    Wanted wanted = cached.wanted;
    if (partition.leader() != node) {
      return SimFetchResponse.Data.failed(Errors.NOT_LEADER_OR_FOLLOWER);
    }
    if (wanted.leaderEpoch() >= 0 && wanted.leaderEpoch() != partition.epoch()) {
      return SimFetchResponse.Data.failed(
          wanted.leaderEpoch() < partition.epoch()
              ? Errors.FENCED_LEADER_EPOCH
              : Errors.UNKNOWN_LEADER_EPOCH);
    }
    if (wanted.offset() < partition.logStart() || wanted.offset() > partition.end()) {
      return SimFetchResponse.Data.failed(Errors.OFFSET_OUT_OF_RANGE);
    }
    long visibleEnd = config.readCommitted() ? partition.lastStable() : partition.end();
    int limit = Math.min(left, config.maxPartitionFetchBytes());
    SimPartition.Read read = partition.read(wanted.offset(), limit, atLeastOne, visibleEnd);
    return new SimFetchResponse.Data(
        Errors.NONE,
        read.batches(),
        read.bytes(),
        partition.end(),
        partition.lastStable(),
        partition.logStart());
  }

  private SimFetchResponse answer(Map<TopicPartition, SimFetchResponse.Data> read) {
    Map<TopicPartition, SimFetchResponse.Data> said = new LinkedHashMap<>();
    int bytes = 0;
    for (Map.Entry<TopicPartition, SimFetchResponse.Data> entry : read.entrySet()) {
      SimFetchResponse.Data data = entry.getValue();
      Cached cached = partitions.get(entry.getKey());
      if (!established || cached.differs(data)) {
        said.put(entry.getKey(), data);
      }
      cached.end = data.end();
      cached.logStart = data.logStart();
      bytes += data.bytes();
      if (established && data.bytes() > 0) {
        partitions.remove(entry.getKey());
        partitions.put(entry.getKey(), cached);
      }
    }
    established = true;
    return new SimFetchResponse(said, bytes);
  }

  /** What a client asks of one partition; the epoch is -1 when it knows none. */
  record Wanted(long offset, int leaderEpoch) {}

  private static final class Cached {
    private Wanted wanted;
    private long end = -1;
    private long logStart = -1;

    private boolean differs(SimFetchResponse.Data data) {
      return data.bytes() > 0
          || data.error() != Errors.NONE
          || data.end() != end
          || data.logStart() != logStart;
    }
  }
}
