package io.korpse.flink.source.enumerator;

import io.korpse.flink.source.enumerator.event.SplitsRemovedEvent;
import io.korpse.flink.source.split.KorpseSplit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * Takes what readers say of their splits into the books, and tells them what they must not read.
 * Confined to the coordinator thread.
 */
final class ReaderReports {

  private final PartitionBook partitions;
  private final ReaderBook readers;
  private final ReaderAttempts attempts;
  private final OffsetQuestions questions;
  private final RemovalPolicies removal;

  ReaderReports(
      PartitionBook partitions,
      ReaderBook readers,
      ReaderAttempts attempts,
      OffsetQuestions questions,
      RemovalPolicies removal) {
    this.partitions = partitions;
    this.readers = readers;
    this.attempts = attempts;
    this.questions = questions;
    this.removal = removal;
  }

  /** A reader has started with what its state held. */
  void restored(int reader, List<KorpseSplit> splits) {
    List<TopicPartition> revoked = new ArrayList<>();
    List<TopicPartition> has = splits.stream().map(KorpseSplit::partition).toList();
    Set<TopicPartition> unsubscribed = removal.unsubscribed(has);
    removal.failIfAsked(unsubscribed, Set.of(), Discovered.NOTHING);
    for (KorpseSplit split : splits) {
      if (readers.otherHas(split.partition(), reader)
          || unsubscribed.contains(split.partition())
          || !partitions.adopt(split)) {
        revoked.add(split.partition());
      } else {
        questions.ask(reader, split);
      }
    }
    readers.reported(reader, has);
    if (!revoked.isEmpty()) {
      attempts.send(
          reader,
          new SplitsRemovedEvent(revoked, "removed before the restore, or not subscribed to"));
    }
  }

  /** An attempt of a reader has started beside others. Flink gives it what those were given. */
  void joined(int reader) {
    readers.joined(reader);
    if (!partitions.removed().isEmpty()) {
      attempts.send(reader, new SplitsRemovedEvent(List.copyOf(partitions.removed()), "gone"));
    }
  }

  /**
   * One of several attempts has finished splits. They stay with the reader, since the others still
   * read them, but for those that have to leave: nobody is given those again.
   */
  void finishedByAttempt(int reader, Collection<TopicPartition> finished) {
    List<TopicPartition> left = new ArrayList<>(finished);
    left.retainAll(partitions.leaving());
    readers.finished(reader, left);
  }
}
