package io.korpse.flink.source.reader.proxy;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.RecordDeserializationException.DeserializationExceptionOrigin;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * The fetching half of the consumer: one request in flight per broker, a queue of what has arrived,
 * and the collection of records from it.
 *
 * <p>A partition whose data wait here is not asked for, and while one of them is not paused its
 * broker is not asked for anything. Data of a paused partition go to the tail of the queue.
 */
final class SimFetcher {

  /** What one poll collects. */
  static final class Collected {
    final Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> records = new HashMap<>();
    final Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
    int count;
    boolean moved;

    boolean isEmpty() {
      return count == 0 && !moved;
    }
  }

  private final SimCluster cluster;
  private final SimConsumerConfig config;
  private final SimNetwork network;
  private final SimMetadata metadata;
  private final SimSubscription subscription;
  private final Deserializer<byte[]> keyDeserializer;
  private final Deserializer<byte[]> valueDeserializer;
  private final Map<Integer, SimFetchSession> sessions = new HashMap<>();
  private final Set<Integer> pending = new HashSet<>();
  private final Deque<SimFetch> queue = new ArrayDeque<>();
  private SimFetch nextInLine;

  SimFetcher(
      SimCluster cluster,
      SimConsumerConfig config,
      SimNetwork network,
      SimMetadata metadata,
      SimSubscription subscription,
      Deserializer<byte[]> keyDeserializer,
      Deserializer<byte[]> valueDeserializer) {
    this.cluster = cluster;
    this.config = config;
    this.network = network;
    this.metadata = metadata;
    this.subscription = subscription;
    this.keyDeserializer = keyDeserializer;
    this.valueDeserializer = valueDeserializer;
  }

  /** Sends a request to each broker that may be asked. */
  void send() {
    Set<TopicPartition> buffered = buffered();
    Set<Integer> busy = new HashSet<>();
    for (TopicPartition id : buffered) {
      if (subscription.isFetchable(id)) {
        busy.add(subscription.state(id).leader.node());
      }
    }
    Map<Integer, Map<TopicPartition, SimFetchSession.Wanted>> requests = new LinkedHashMap<>();
    subscription
        .states()
        .forEach(
            (id, state) -> {
              if (state.isFetchable() && !buffered.contains(id) && reachable(id, state)) {
                int node = state.leader.node();
                if (!pending.contains(node) && !busy.contains(node)) {
                  requests
                      .computeIfAbsent(node, n -> new LinkedHashMap<>())
                      .put(id, new SimFetchSession.Wanted(state.position, state.leader.epoch()));
                }
              }
            });
    requests.forEach(this::send);
  }

  /** A leader that has gone is a broker that cannot be reached. */
  private boolean reachable(TopicPartition id, SimState state) {
    boolean up =
        state.leader.isPresent() && cluster.partition(id).leader() != SimPartition.NO_LEADER;
    if (!up) {
      metadata.request();
    }
    return up;
  }

  private void send(int node, Map<TopicPartition, SimFetchSession.Wanted> wanted) {
    pending.add(node);
    sessions
        .computeIfAbsent(node, n -> new SimFetchSession(cluster, n, config))
        .send(wanted, response -> network.arrive(() -> arrived(node, wanted, response)));
  }

  private void arrived(
      int node, Map<TopicPartition, SimFetchSession.Wanted> wanted, SimFetchResponse response) {
    pending.remove(node);
    response
        .partitions()
        .forEach(
            (id, data) -> {
              if (data.error() == Errors.NOT_LEADER_OR_FOLLOWER
                  || data.error() == Errors.FENCED_LEADER_EPOCH) {
                SimPartition partition = cluster.partition(id);
                if (partition.leader() != SimPartition.NO_LEADER) {
                  metadata.update(id, new SimLeader(partition.leader(), partition.epoch()));
                  SimState state = subscription.stateOrNull(id);
                  if (state != null) {
                    state.leaderIs(metadata.leader(id));
                  }
                }
              }
              long offset = wanted.get(id).offset();
              queue.add(new SimFetch(id, response, data, offset, config.readCommitted()));
            });
  }

  /** Whether a collection would find data of a partition that is not paused. */
  boolean hasAvailable() {
    return queue.stream().anyMatch(fetch -> subscription.isFetchable(fetch.partition()));
  }

  /** Takes up to max.poll.records records, of one partition after the other. */
  Collected collect() {
    Collected collected = new Collected();
    Deque<SimFetch> passedOver = new ArrayDeque<>();
    try {
      while (collected.count < config.maxPollRecords()) {
        if (nextInLine == null || nextInLine.isConsumed()) {
          SimFetch head = queue.peek();
          if (head == null) {
            break;
          }
          if (head.isInitialized()) {
            nextInLine = head;
          } else {
            try {
              nextInLine = initialize(head);
            } catch (KafkaException e) {
              if (collected.isEmpty() && head.data().bytes() == 0) {
                queue.poll();
              }
              throw e;
            }
          }
          queue.poll();
        } else if (subscription.isPaused(nextInLine.partition())) {
          passedOver.add(nextInLine);
          nextInLine = null;
        } else {
          take(nextInLine, collected);
        }
      }
    } catch (KafkaException e) {
      if (collected.isEmpty()) {
        throw e;
      }
    } finally {
      queue.addAll(passedOver);
    }
    return collected;
  }

  private void take(SimFetch fetch, Collected collected) {
    TopicPartition id = fetch.partition();
    SimState state = subscription.stateOrNull(id);
    if (state == null || !state.isFetchable() || fetch.nextOffset() != state.position) {
      drain(fetch);
      return;
    }
    List<ConsumerRecord<byte[], byte[]>> records =
        fetch.read(
            config.maxPollRecords() - collected.count, (record, batch) -> parse(id, record, batch));
    if (fetch.isConsumed() && fetch.gaveRecords()) {
      subscription.moveToEnd(id);
    }
    if (fetch.nextOffset() > state.position) {
      state.position = fetch.nextOffset();
      state.positionEpoch = fetch.lastEpoch().orElse(SimState.NO_EPOCH);
      collected.moved = true;
    }
    if (!records.isEmpty()) {
      collected.records.merge(
          id,
          records,
          (old, more) -> {
            old.addAll(more);
            return old;
          });
      collected.count += records.size();
    }
    collected.next.put(id, new OffsetAndMetadata(fetch.nextOffset(), fetch.lastEpoch(), ""));
  }

  private void drain(SimFetch fetch) {
    if (!fetch.isConsumed()) {
      fetch.drain();
      if (fetch.gaveRecords()) {
        subscription.moveToEnd(fetch.partition());
      }
    }
  }

  /** Returns null for data that nobody wants any more. */
  private SimFetch initialize(SimFetch fetch) {
    TopicPartition id = fetch.partition();
    SimState state = subscription.stateOrNull(id);
    if (state == null || !state.hasValidPosition()) {
      return null;
    }
    SimFetchResponse.Data data = fetch.data();
    if (data.error() != Errors.NONE) {
      try {
        fail(id, fetch, state);
      } finally {
        subscription.moveToEnd(id);
      }
      return null;
    }
    if (state.position != fetch.nextOffset()) {
      return null;
    }
    state.highWatermark = data.end();
    state.lastStable = data.lastStable();
    state.endRequested = false;
    fetch.setInitialized();
    return fetch;
  }

  private void fail(TopicPartition id, SimFetch fetch, SimState state) {
    switch (fetch.data().error()) {
      case OFFSET_OUT_OF_RANGE -> {
        if (state.position == fetch.nextOffset()) {
          throw new OffsetOutOfRangeException(
              "Fetch position " + state.position + " is out of range for partition " + id,
              Map.of(id, state.position));
        }
      }
      case NOT_LEADER_OR_FOLLOWER, FENCED_LEADER_EPOCH -> metadata.request();
      case UNKNOWN_LEADER_EPOCH -> {
        // the broker will learn of it
      }
      default -> throw new IllegalStateException("Unexpected error " + fetch.data().error());
    }
  }

  private ConsumerRecord<byte[], byte[]> parse(
      TopicPartition id, SimRecord record, SimBatch batch) {
    Headers headers = new RecordHeaders(record.headers());
    ByteBuffer key = record.key();
    ByteBuffer value = record.value();
    return new ConsumerRecord<>(
        id.topic(),
        id.partition(),
        record.offset(),
        record.timestamp(),
        TimestampType.CREATE_TIME,
        key == null ? ConsumerRecord.NULL_SIZE : key.remaining(),
        value == null ? ConsumerRecord.NULL_SIZE : value.remaining(),
        deserialize(
            DeserializationExceptionOrigin.KEY,
            id,
            record,
            headers,
            () -> key == null ? null : keyDeserializer.deserialize(id.topic(), headers, key)),
        deserialize(
            DeserializationExceptionOrigin.VALUE,
            id,
            record,
            headers,
            () -> value == null ? null : valueDeserializer.deserialize(id.topic(), headers, value)),
        headers,
        Optional.of(batch.leaderEpoch()));
  }

  private static byte[] deserialize(
      DeserializationExceptionOrigin origin,
      TopicPartition id,
      SimRecord record,
      Headers headers,
      Supplier<byte[]> deserialization) {
    try {
      return deserialization.get();
    } catch (RuntimeException e) {
      throw new RecordDeserializationException(
          origin,
          id,
          record.offset(),
          record.timestamp(),
          TimestampType.CREATE_TIME,
          record.key(),
          record.value(),
          headers,
          "Error deserializing " + origin + " for partition " + id + " at " + record.offset(),
          e);
    }
  }

  private Set<TopicPartition> buffered() {
    Set<TopicPartition> buffered = new HashSet<>();
    if (nextInLine != null && !nextInLine.isConsumed()) {
      buffered.add(nextInLine.partition());
    }
    queue.forEach(fetch -> buffered.add(fetch.partition()));
    return buffered;
  }

  /** Drops the data of every partition but these. */
  void retain(Collection<TopicPartition> partitions) {
    Set<TopicPartition> kept = new HashSet<>(partitions);
    queue.removeIf(
        fetch -> {
          boolean gone = !kept.contains(fetch.partition());
          if (gone) {
            drain(fetch);
          }
          return gone;
        });
    if (nextInLine != null && !kept.contains(nextInLine.partition())) {
      drain(nextInLine);
      nextInLine = null;
    }
  }

  /** Responses that are on their way, and those of which something is not read yet. */
  int responses() {
    return pending.size()
        + (int) pinned().stream().filter(response -> response.bytes() > 0).count();
  }

  /** Bytes of the responses that cannot be collected since a part of each is not drained yet. */
  long pinnedBytes() {
    return pinned().stream().mapToLong(SimFetchResponse::bytes).sum();
  }

  private Set<SimFetchResponse> pinned() {
    Set<SimFetchResponse> pinned = Collections.newSetFromMap(new IdentityHashMap<>());
    if (nextInLine != null && !nextInLine.isConsumed()) {
      pinned.add(nextInLine.response());
    }
    queue.forEach(fetch -> pinned.add(fetch.response()));
    return pinned;
  }
}
