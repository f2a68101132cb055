package io.korpse.flink.source.reader.proxy;

import io.korpse.flink.source.reader.proxy.LogInspector.LogEnd;
import io.korpse.offsets.Position;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Finds out whether the offsets of splits are those of the log that the broker has: of a split that
 * is added, and of one whose offset the broker refuses; and where a split goes on whose next batch
 * cannot be read. Meanwhile the split is paused, for this reason alone, and the others flow.
 *
 * <p>A split that comes with a leader epoch is fetched only when that epoch is known to be at most
 * the current one. A seek with a higher epoch makes the client wait for a leader of that epoch: the
 * partition stalls without an error, until the consumer is replaced. A higher epoch means that the
 * log is not the one that the split was read from, and is a data loss.
 *
 * <p>Answers come on any thread and wait for the fetcher thread; all else is confined to it.
 */
final class OffsetChecks {

  /** What the proxy does for a check. */
  interface Owner {
    /** Whether the split is still there and wants to be fetched. */
    boolean wants(SplitBuffer split);

    /** Fetches on from the split's fetch offset, or finishes it when that is its end. */
    void fetchOn(SplitBuffer split);

    /** Leaves the offsets from the split's fetch offset up to this one out, and says so. */
    void skipTo(SplitBuffer split, long offset, KafkaException cause);

    /** The known end of the split's log changed, or whether it is paused. */
    void changed(SplitBuffer split);
  }

  private final LossHandler lossHandler;
  private final UnreadableHandler unreadable;
  private final LogInspector inspector;
  private final PauseLedger ledger;
  private final LongSupplier clock;
  private final Runnable wake;
  private final Owner owner;
  private final ConcurrentLinkedQueue<Runnable> answers = new ConcurrentLinkedQueue<>();

  /** The splits that are held back until their epoch was inspected. */
  private final Set<SplitBuffer> uninspected = new HashSet<>();

  /** Questions for the ends of new splits of which no part is answered. */
  private final Set<Object> unanswered = new HashSet<>();

  OffsetChecks(
      LossHandler lossHandler,
      UnreadableHandler unreadable,
      LogInspector inspector,
      PauseLedger ledger,
      LongSupplier clock,
      Runnable wake,
      Owner owner) {
    this.lossHandler = lossHandler;
    this.unreadable = unreadable;
    this.inspector = inspector;
    this.ledger = ledger;
    this.clock = clock;
    this.wake = wake;
    this.owner = owner;
  }

  /**
   * Asks for the ends of new splits, and holds those back that have an epoch or know their topic,
   * until it is known that the log may have it, and that the topic is still the same.
   */
  void added(Collection<SplitBuffer> splits) {
    if (inspector == LogInspector.NONE) {
      return;
    }
    long now = clock.getAsLong();
    List<TopicPartition> partitions = new ArrayList<>(splits.size());
    for (SplitBuffer split : splits) {
      partitions.add(split.partition());
      if (split.fetchEpoch() != Position.NO_EPOCH || split.knowsTopic) {
        ledger.add(split.pause, PauseReason.OFFSET_CHECK, now);
        uninspected.add(split);
        owner.changed(split);
      }
    }
    Map<TopicPartition, SplitBuffer> asked = new HashMap<>();
    splits.forEach(split -> asked.put(split.partition(), split));
    Object question = new Object();
    unanswered.add(question);
    inspector.inspect(
        partitions,
        ends ->
            answer(
                () -> {
                  unanswered.remove(question);
                  ends.forEach((id, end) -> inspected(asked.get(id), end));
                }));
  }

  /** Whether it is not known yet of new splits whether they have anything, but for late answers. */
  boolean isInspecting() {
    return !unanswered.isEmpty();
  }

  private void inspected(SplitBuffer split, LogEnd end) {
    if (!owner.wants(split)) {
      uninspected.remove(split);
      return;
    }
    if (end.offset() >= 0 && split.end() < 0) {
      split.observeEnd(end.offset());
      split.endListener().endsAt(end.offset());
      owner.changed(split);
    }
    // Another question about the split may be open; going on before its answer, and then once
    // more from there, would read records twice.
    if (!uninspected.remove(split)) {
      return;
    }
    if (end.isOfAnotherTopic()) {
      ask(split, OptionalLong.empty());
    } else if (end.leaderEpoch() >= 0 && split.fetchEpoch() > end.leaderEpoch()) {
      ask(split, OptionalLong.of(Math.min(split.fetchOffset(), end.offset())));
    } else {
      if (end.leaderEpoch() >= 0) {
        split.trustEpoch();
      }
      goOn(split);
    }
  }

  /** The broker refused offsets. The exception names one partition at a time, again and again. */
  void refused(OffsetOutOfRangeException e, Map<TopicPartition, SplitBuffer> splits) {
    long now = clock.getAsLong();
    for (TopicPartition partition : e.offsetOutOfRangePartitions().keySet()) {
      SplitBuffer split = splits.get(partition);
      if (split == null
          || split.fetchFinished()
          || !ledger.add(split.pause, PauseReason.OFFSET_CHECK, now)) {
        continue;
      }
      owner.changed(split);
      OffsetAndMetadata at =
          e instanceof LogTruncationException truncated
              ? truncated.divergentOffsets().get(partition)
              : null;
      ask(split, at == null ? OptionalLong.empty() : OptionalLong.of(at.offset()));
    }
  }

  /**
   * A poll brought an epoch below that of the position. Epochs only grow in a log, so this may be
   * another one: of a topic that was created again, of which the client tells nothing. It may also
   * be the same: to the question for the end a broker answers its current epoch, and what follows
   * the last stable offset may be of an earlier one. So it is no divergence by itself. The id of
   * the topic tells, and when that is the same, reading goes on there, without an epoch.
   */
  void replaced(SplitBuffer split) {
    if (ledger.add(split.pause, PauseReason.OFFSET_CHECK, clock.getAsLong())) {
      owner.changed(split);
      ask(split, OptionalLong.empty());
    }
  }

  /**
   * The consumer cannot read what it fetched of a partition, and would say so again and again.
   *
   * @throws KafkaException the same, if it is about something else
   */
  void unreadable(KafkaException e, Map<TopicPartition, SplitBuffer> splits) {
    SplitBuffer split = Unreadable.partitionOf(e).map(splits::get).orElseThrow(() -> e);
    if (split.fetchFinished()
        || !ledger.add(split.pause, PauseReason.OFFSET_CHECK, clock.getAsLong())) {
      return;
    }
    owner.changed(split);
    unreadable
        .nextReadable(split.partition(), split.fetchOffset())
        .whenComplete((next, failure) -> answer(() -> skip(split, next, e, failure)));
  }

  private void skip(SplitBuffer split, Long next, KafkaException cause, Throwable failure) {
    if (owner.wants(split)) {
      throwIfFailed(split, failure);
      // Readable after all: the response was damaged on its way.
      if (next > split.fetchOffset()) {
        owner.skipTo(split, next, cause);
      }
      if (owner.wants(split)) {
        goOn(split);
      }
    }
  }

  private void ask(SplitBuffer split, OptionalLong divergent) {
    lossHandler
        .resolve(split.partition(), split.fetchOffset(), divergent)
        .whenComplete((position, failure) -> answer(() -> decided(split, position, failure)));
  }

  private void decided(SplitBuffer split, Position position, Throwable failure) {
    if (owner.wants(split)) {
      throwIfFailed(split, failure);
      split.moveFetchTo(Math.min(position.offset(), split.stopOffset()), position.leaderEpoch());
      goOn(split);
    }
  }

  private static void throwIfFailed(SplitBuffer split, Throwable failure) {
    if (failure != null) {
      Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
      throw cause instanceof RuntimeException unchecked
          ? unchecked
          : new IllegalStateException(
              "Cannot find out where to go on with " + split.partition() + ": " + cause, cause);
    }
  }

  private void goOn(SplitBuffer split) {
    ledger.remove(split.pause, PauseReason.OFFSET_CHECK, clock.getAsLong());
    owner.fetchOn(split);
  }

  private void answer(Runnable answer) {
    answers.add(answer);
    wake.run();
  }

  /** Does what the answers say that have come. Fetcher thread. */
  void takeAnswers() {
    for (Runnable answer = answers.poll(); answer != null; answer = answers.poll()) {
      answer.run();
    }
  }
}
