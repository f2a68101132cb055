package io.korpse.flink.source.reader.proxy;

import java.time.Duration;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * A consumer with the fetching of the classic KafkaConsumer 4.3.1 without a group, without a reset
 * policy, on a simulated cluster and in virtual time: {@link #poll} advances the clock instead of
 * sleeping.
 *
 * <p>Events of the scheduler that run inside a poll stand for other threads: of this class they may
 * call {@link #wakeup} only.
 */
final class SimConsumer extends UnsupportedConsumer {

  private static final long LONGEST_WAIT = Duration.ofHours(1).toNanos();

  private final SimCluster cluster;
  private final SimConsumerConfig config;
  private final SimNetwork network;
  private final SimMetadata metadata;
  private final SimSubscription subscription = new SimSubscription();
  private final SimFetcher fetcher;
  private final SimValidation validation;
  private final AtomicBoolean wakeup = new AtomicBoolean();
  private final SimCalls calls = new SimCalls();
  private Set<String> topics = Set.of();
  private RuntimeException failure;
  private boolean failed;
  private java.util.function.Consumer<Duration> onPoll = timeout -> {};
  private int spinLimit = 2_000;
  private boolean inside;
  private boolean closed;
  private long spinningAt = -1;
  private int spins;

  SimConsumer(SimCluster cluster, SimConsumerConfig config) {
    this(cluster, config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  SimConsumer(
      SimCluster cluster,
      SimConsumerConfig config,
      Deserializer<byte[]> keyDeserializer,
      Deserializer<byte[]> valueDeserializer) {
    this.cluster = cluster;
    this.config = config;
    network = new SimNetwork(cluster);
    metadata = new SimMetadata(cluster, network);
    fetcher =
        new SimFetcher(
            cluster, config, network, metadata, subscription, keyDeserializer, valueDeserializer);
    validation = new SimValidation(cluster, network, metadata, subscription);
  }

  /** What was called how often. */
  SimCalls calls() {
    return calls;
  }

  /** Bytes of responses that the consumer holds for partitions that are not drained. */
  long pinnedBytes() {
    return fetcher.pinnedBytes();
  }

  /** Responses that the consumer waits for, or of which it holds something that is not read. */
  int responses() {
    return fetcher.responses();
  }

  /** Called with the timeout before each poll, while the consumer may still be looked at. */
  void onPoll(java.util.function.Consumer<Duration> newOnPoll) {
    onPoll = newOnPoll;
  }

  /** Most polls in a row that may bring nothing without time passing. */
  void spinLimit(int polls) {
    spinLimit = polls;
  }

  boolean isClosed() {
    return closed;
  }

  /** Whether a wakeup is latched that no call has consumed. */
  boolean hasLatchedWakeup() {
    return wakeup.get();
  }

  /** Makes the next poll, or the one that is waiting, throw. */
  /** Whether a call has thrown what it was told to. */
  boolean hasFailed() {
    return failed;
  }

  void failNextPoll(RuntimeException newFailure) {
    failure = newFailure;
    network.arrive(() -> {});
  }

  @Override
  public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
    onPoll.accept(timeout);
    acquire();
    try {
      calls.polls++;
      if (subscription.states().isEmpty()) {
        throw new IllegalStateException("Consumer is not assigned any partitions");
      }
      long start = now();
      // the client counts in whole milliseconds
      long wait = Duration.ofMillis(timeout.toMillis()).toNanos();
      long deadline = start + Math.min(wait, LONGEST_WAIT);
      do {
        throwIfWokenUp();
        updatePositions();
        SimFetcher.Collected collected = pollForFetches(deadline);
        if (!collected.isEmpty()) {
          sendFetches();
          calls.records += collected.count;
          return new ConsumerRecords<>(collected.records, collected.next);
        }
      } while (now() < deadline);
      calls.emptyPolls++;
      noteIdle(start);
      return ConsumerRecords.empty();
    } finally {
      inside = false;
    }
  }

  private SimFetcher.Collected pollForFetches(long deadline) {
    SimFetcher.Collected collected = fetcher.collect();
    if (collected.isEmpty()) {
      sendFetches();
      pollNetwork(fetcher.hasAvailable() ? now() : deadline);
      collected = fetcher.collect();
    }
    return collected;
  }

  private void sendFetches() {
    validation.onMetadataChange();
    fetcher.send();
  }

  private void pollNetwork(long deadline) {
    metadata.send();
    while (cluster.scheduler().nextEvent() <= now()) {
      cluster.scheduler().runNext(now());
    }
    while (network.isIdle() && !wakeup.get() && now() < deadline) {
      cluster.scheduler().runNext(deadline);
    }
    throwIfWokenUp();
    if (failure != null) {
      RuntimeException thrown = failure;
      failure = null;
      failed = true;
      throw thrown;
    }
    network.handle();
  }

  private void updatePositions() {
    validation.run();
    Set<TopicPartition> without = new HashSet<>();
    subscription
        .states()
        .forEach(
            (id, state) -> {
              if (state.fetching == SimState.Fetching.INITIALIZING) {
                without.add(id);
              }
            });
    if (!without.isEmpty()) {
      throw new NoOffsetForPartitionException(without);
    }
  }

  private void throwIfWokenUp() {
    if (wakeup.getAndSet(false)) {
      calls.wakeups++;
      noteIdle(now());
      throw new WakeupException();
    }
  }

  /** A caller that polls for ever without letting time pass hangs a simulation: tell where. */
  private void noteIdle(long start) {
    if (now() != start || now() != spinningAt) {
      spinningAt = now();
      spins = 0;
    }
    spins++;
    if (spins > spinLimit) {
      throw new SimViolation("SPIN", spins + " polls without a record at virtual time " + now());
    }
  }

  @Override
  public Set<TopicPartition> assignment() {
    acquire();
    inside = false;
    return Set.copyOf(subscription.states().keySet());
  }

  @Override
  public Set<String> subscription() {
    return Set.of();
  }

  @Override
  public void assign(Collection<TopicPartition> partitions) {
    acquire();
    inside = false;
    calls.assigns++;
    fetcher.retain(partitions);
    subscription.assign(partitions);
    Set<String> now = new HashSet<>();
    partitions.forEach(partition -> now.add(partition.topic()));
    if (!now.equals(topics)) {
      topics = now;
      metadata.request();
    }
  }

  @Override
  public void unsubscribe() {
    assign(Set.of());
  }

  @Override
  public void seek(TopicPartition partition, long offset) {
    seek(partition, new OffsetAndMetadata(offset));
  }

  @Override
  public void seek(TopicPartition partition, OffsetAndMetadata target) {
    acquire();
    inside = false;
    if (target.offset() < 0) {
      throw new IllegalArgumentException("Cannot seek to " + target.offset());
    }
    calls.seeks++;
    SimLeader leader = metadata.leader(partition);
    target.leaderEpoch().ifPresent(epoch -> metadata.seen(partition, epoch));
    subscription
        .state(partition)
        .seek(target.offset(), target.leaderEpoch().orElse(SimState.NO_EPOCH), leader);
  }

  @Override
  public long position(TopicPartition partition) {
    return position(partition, Duration.ofMinutes(1));
  }

  @Override
  public long position(TopicPartition partition, Duration timeout) {
    acquire();
    try {
      long deadline = now() + timeout.toNanos();
      do {
        SimState state = subscription.state(partition);
        if (state.hasValidPosition()) {
          return state.position;
        }
        updatePositions();
        pollNetwork(deadline);
      } while (now() < deadline);
      throw new TimeoutException("No position of " + partition + " within " + timeout);
    } finally {
      inside = false;
    }
  }

  @Override
  public Set<TopicPartition> paused() {
    acquire();
    inside = false;
    return subscription.paused();
  }

  @Override
  public void pause(Collection<TopicPartition> partitions) {
    acquire();
    inside = false;
    calls.pauses++;
    for (TopicPartition partition : partitions) {
      note(!subscription.state(partition).paused);
      subscription.state(partition).paused = true;
    }
  }

  @Override
  public void resume(Collection<TopicPartition> partitions) {
    acquire();
    inside = false;
    calls.resumes++;
    for (TopicPartition partition : partitions) {
      note(subscription.state(partition).paused);
      subscription.state(partition).paused = false;
    }
  }

  private void note(boolean changes) {
    if (changes) {
      calls.flips++;
    } else {
      calls.redundantFlips++;
    }
  }

  @Override
  public OptionalLong currentLag(TopicPartition partition) {
    acquire();
    inside = false;
    SimState state = subscription.state(partition);
    Long end = config.readCommitted() ? state.lastStable : state.highWatermark;
    if (end == null) {
      lookUpEnd(partition, state);
      return OptionalLong.empty();
    }
    if (state.fetching == SimState.Fetching.INITIALIZING) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(end - state.position);
  }

  /** The client asks the broker for the end of one partition, and answers the next call. */
  private void lookUpEnd(TopicPartition id, SimState state) {
    if (state.endRequested) {
      return;
    }
    state.endRequested = true;
    calls.endLookUps++;
    long[] end = new long[2];
    network.ask(
        () -> {
          end[0] = cluster.partition(id).end();
          end[1] = cluster.partition(id).lastStable();
        },
        () -> {
          state.endRequested = false;
          if (config.readCommitted()) {
            state.lastStable = end[1];
          } else {
            state.highWatermark = end[0];
          }
        });
  }

  @Override
  public Map<MetricName, ? extends Metric> metrics() {
    return Map.of();
  }

  @Override
  public void close() {
    close(CloseOptions.timeout(Duration.ofSeconds(30)));
  }

  @Override
  @Deprecated
  @SuppressWarnings("InlineMeSuggester")
  public void close(Duration timeout) {
    close(CloseOptions.timeout(timeout));
  }

  @Override
  public void close(CloseOptions options) {
    if (!closed) {
      acquire();
      inside = false;
      fetcher.retain(Set.of());
      closed = true;
    }
  }

  @Override
  public void wakeup() {
    wakeup.set(true);
  }

  private long now() {
    return cluster.scheduler().getAsLong();
  }

  private void acquire() {
    if (inside) {
      throw new ConcurrentModificationException("Called by another thread while one is inside");
    }
    if (closed) {
      throw new IllegalStateException("This consumer has already been closed");
    }
    inside = true;
  }
}
