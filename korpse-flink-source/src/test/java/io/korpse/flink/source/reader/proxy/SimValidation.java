package io.korpse.flink.source.reader.proxy;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Checks positions that have an epoch with the leader. A truncation is thrown once, by the next
 * poll; while one waits to be thrown another one is lost.
 */
final class SimValidation {

  private static final long BACKOFF_NANOS = 100_000_000L;
  private static final long REQUEST_TIMEOUT_NANOS = 30_000_000_000L;

  private final SimCluster cluster;
  private final SimNetwork network;
  private final SimMetadata metadata;
  private final SimSubscription subscription;
  private LogTruncationException error;
  private int metadataVersion = -1;

  SimValidation(
      SimCluster cluster, SimNetwork network, SimMetadata metadata, SimSubscription subscription) {
    this.cluster = cluster;
    this.network = network;
    this.metadata = metadata;
    this.subscription = subscription;
  }

  /** Looks at all positions after new metadata. */
  void onMetadataChange() {
    if (metadataVersion != metadata.version()) {
      metadataVersion = metadata.version();
      subscription.states().forEach((id, state) -> state.leaderIs(metadata.leader(id)));
    }
  }

  /** Throws what was found and sends what must be asked. */
  void run() {
    if (error != null) {
      LogTruncationException thrown = error;
      error = null;
      throw thrown;
    }
    onMetadataChange();
    long now = cluster.scheduler().getAsLong();
    Map<Integer, Map<TopicPartition, Asked>> byNode = new LinkedHashMap<>();
    subscription
        .states()
        .forEach(
            (id, state) -> {
              boolean due =
                  state.fetching == SimState.Fetching.AWAIT_VALIDATION
                      && now >= state.nextRetryNanos;
              if (due && state.leader.isPresent()) {
                state.nextRetryNanos = now + REQUEST_TIMEOUT_NANOS;
                byNode
                    .computeIfAbsent(state.leader.node(), n -> new LinkedHashMap<>())
                    .put(id, new Asked(state.position, state.positionEpoch, state.leader));
              }
            });
    byNode.values().forEach(this::ask);
  }

  private void ask(Map<TopicPartition, Asked> asked) {
    Map<TopicPartition, Optional<SimPartition.EpochEnd>> answers = new HashMap<>();
    network.ask(
        () -> asked.forEach((id, position) -> answers.put(id, answer(id, position))),
        () -> complete(asked, answers));
  }

  private Optional<SimPartition.EpochEnd> answer(TopicPartition id, Asked position) {
    SimPartition partition = cluster.partition(id);
    boolean current =
        partition.leader() == position.leader.node()
            && partition.epoch() == position.leader.epoch();
    return current ? Optional.of(partition.epochEnd(position.epoch)) : Optional.empty();
  }

  private void complete(
      Map<TopicPartition, Asked> asked,
      Map<TopicPartition, Optional<SimPartition.EpochEnd>> answers) {
    Map<TopicPartition, Long> truncated = new HashMap<>();
    Map<TopicPartition, OffsetAndMetadata> divergent = new HashMap<>();
    asked.forEach(
        (id, position) -> {
          SimState state = subscription.stateOrNull(id);
          boolean same =
              state != null
                  && state.fetching == SimState.Fetching.AWAIT_VALIDATION
                  && state.position == position.offset
                  && state.positionEpoch == position.epoch
                  && state.leader.equals(position.leader);
          if (answers.get(id).isEmpty()) {
            retry(state);
          } else if (same) {
            SimPartition.EpochEnd end = answers.get(id).get();
            if (end.endOffset() >= position.offset) {
              state.fetching = SimState.Fetching.FETCHING;
            } else {
              truncated.put(id, position.offset);
              if (end.epoch() >= 0) {
                divergent.put(
                    id, new OffsetAndMetadata(end.endOffset(), Optional.of(end.epoch()), null));
              }
            }
          }
        });
    if (!truncated.isEmpty() && error == null) {
      error = new LogTruncationException(truncated, divergent);
    }
  }

  private void retry(SimState state) {
    metadata.request();
    if (state != null) {
      state.nextRetryNanos = cluster.scheduler().getAsLong() + BACKOFF_NANOS;
      network.lookAgainAt(state.nextRetryNanos);
    }
  }

  private record Asked(long offset, int epoch, SimLeader leader) {}
}
