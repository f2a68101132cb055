package io.korpse.offsets.lag;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the tracker asks the brokers in a round, each question in one request for all partitions
 * that it is due for. Waits for nothing; what was asked of a partition is not asked again before
 * there is an answer or an error. Confined to the tracker's thread, but for the answers.
 */
final class LagQuestions {

  private static final Logger LOG = LoggerFactory.getLogger(LagQuestions.class);

  private final LagTracker.Settings settings;
  private final Duration timeout;
  private long slowRoundAt = Long.MIN_VALUE;

  LagQuestions(LagTracker.Settings settings) {
    this.settings = settings;
    this.timeout = Duration.ofMillis(settings.requestTimeoutMillis());
  }

  /**
   * Sends what is due.
   *
   * @throws RuntimeException of the client; what was not sent is due in the next round
   */
  void ask(EndOffsets client, Collection<PartitionLag> partitions, long now) {
    // Log starts, and high watermarks when the ends are others, change what is shown of them
    // slowly. A log start changes nothing where all is read; a high watermark does, since a
    // transaction that hangs shows nowhere else.
    boolean isSlowRound = now >= slowRoundAt;
    boolean isCommitted = settings.isolation() == IsolationLevel.READ_COMMITTED;
    List<PartitionLag> stale = new ArrayList<>();
    List<PartitionLag> hidden = new ArrayList<>();
    List<PartitionLag> behind = new ArrayList<>();
    List<PartitionLag> uncommitted = new ArrayList<>();
    for (PartitionLag lag : partitions) {
      if (lag.isEndDue(now, settings.intervalMillis())) {
        stale.add(lag);
      }
      if (isCommitted && !lag.highWatermarkAsked && (isSlowRound || !lag.knowsHighWatermark())) {
        hidden.add(lag);
      }
      if (isSlowRound && !lag.startAsked && lag.position() < lag.end()) {
        behind.add(lag);
      }
      if (settings.groupId() != null && !lag.committedAsked) {
        uncommitted.add(lag);
      }
    }
    list(
        client,
        stale,
        OffsetSpec.latest(),
        settings.isolation(),
        (lag, isAsked) -> lag.endAsked = isAsked,
        (lag, end) -> lag.answerEnd(end, now));
    list(
        client,
        behind,
        OffsetSpec.earliest(),
        IsolationLevel.READ_UNCOMMITTED,
        (lag, isAsked) -> lag.startAsked = isAsked,
        PartitionLag::observeLogStart);
    askForCommits(client, uncommitted);
    list(
        client,
        hidden,
        OffsetSpec.latest(),
        IsolationLevel.READ_UNCOMMITTED,
        (lag, isAsked) -> lag.highWatermarkAsked = isAsked,
        PartitionLag::answerHighWatermark);
    if (isSlowRound) {
      slowRoundAt = now + settings.slowIntervalMillis();
    }
  }

  private void list(
      EndOffsets client,
      List<PartitionLag> lags,
      OffsetSpec spec,
      IsolationLevel isolation,
      BiConsumer<PartitionLag, Boolean> asked,
      BiConsumer<PartitionLag, Long> onAnswer) {
    if (lags.isEmpty()) {
      return;
    }
    lags.forEach(lag -> asked.accept(lag, true));
    try {
      client.list(
          lags,
          spec,
          isolation,
          timeout,
          (lag, offset, failure) -> {
            if (failure == null) {
              onAnswer.accept(lag, offset);
            } else {
              lag.endFailure = failure;
            }
            asked.accept(lag, false);
          });
    } catch (RuntimeException e) {
      lags.forEach(lag -> asked.accept(lag, false));
      throw e;
    }
  }

  // Once per partition: later commits are observed.
  private void askForCommits(EndOffsets client, List<PartitionLag> lags) {
    if (lags.isEmpty()) {
      return;
    }
    lags.forEach(lag -> lag.committedAsked = true);
    try {
      CompletableFuture<Void> unused =
          client
              .committed(
                  settings.groupId(), lags.stream().map(PartitionLag::partition).toList(), timeout)
              .handle(
                  (offsets, failure) -> {
                    if (failure != null) {
                      LOG.debug("No commits of group {}", settings.groupId(), failure);
                    }
                    for (PartitionLag lag : lags) {
                      lag.committedAsked = failure == null;
                      if (failure == null && offsets.containsKey(lag.partition())) {
                        lag.answerCommitted(offsets.get(lag.partition()));
                      }
                    }
                    return null;
                  });
    } catch (RuntimeException e) {
      lags.forEach(lag -> lag.committedAsked = false);
      throw e;
    }
  }
}
