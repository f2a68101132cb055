package io.korpse.flink.source.enumerator;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Resolution;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which partitions wait for offsets, of the enumerator's own and of those that readers asked about,
 * when they are asked about next, and for how long already in vain. Confined to the coordinator
 * thread.
 */
final class OffsetQuestions {

  private static final Logger LOG = LoggerFactory.getLogger(OffsetQuestions.class);
  private static final long RETRY_MILLIS = 1_000;

  private final PartitionBook partitions;
  private final OffsetRules rules;
  private final Duration timeout;
  // Restored splits about which a reader has asked, by reader.
  private final Map<Integer, Map<TopicPartition, KorpseSplit>> asked = new TreeMap<>();
  private final Map<TopicPartition, Long> failingSince = new HashMap<>();
  private long dueMillis = Long.MIN_VALUE;

  OffsetQuestions(PartitionBook partitions, OffsetRules rules, Duration timeout) {
    this.partitions = partitions;
    this.rules = rules;
    this.timeout = timeout;
  }

  /** Takes a restored split of a reader in, if anything of it is not known. */
  void ask(int reader, KorpseSplit split) {
    if (OffsetQuestion.restored(split, rules).isPresent()) {
      asked.computeIfAbsent(reader, ignored -> new LinkedHashMap<>()).put(split.partition(), split);
    }
  }

  /** A new attempt of a reader: it asks again. */
  void forget(int reader) {
    asked.remove(reader);
  }

  /** The partition is one of another topic now: how long the old one waited does not count. */
  void recreated(TopicPartition partition) {
    failingSince.remove(partition);
  }

  /** Something new waits: asks without waiting for the time of the next try. */
  void soon(long nowMillis) {
    dueMillis = nowMillis;
  }

  /** What is to be asked now; empty when nothing waits, or was asked a moment ago. */
  List<OffsetQuestion> due(long nowMillis) {
    if (nowMillis < dueMillis) {
      return List.of();
    }
    List<OffsetQuestion> questions = new ArrayList<>();
    partitions
        .waiting()
        .forEach(
            (partition, entry) ->
                questions.add(
                    OffsetQuestion.discovered(
                        partition,
                        entry.topicId(),
                        entry.initial() ? rules.initial() : rules.later(),
                        rules.stop())));
    for (KorpseSplit split : partitions.ready()) {
      if (split.unresolved().isPresent()) {
        OffsetQuestion.restored(split, rules).ifPresent(questions::add);
      }
    }
    for (Map<TopicPartition, KorpseSplit> splits : asked.values()) {
      splits.values().forEach(s -> OffsetQuestion.restored(s, rules).ifPresent(questions::add));
    }
    // What is gone begins anew when it comes again.
    failingSince.keySet().retainAll(questions.stream().map(OffsetQuestion::partition).toList());
    return questions;
  }

  /**
   * Puts the splits that now have their offsets where readers can be given them.
   *
   * @return the answers to readers that have asked
   * @throws FlinkRuntimeException if offsets can never be known, or were unknown for too long
   */
  Map<Integer, List<KorpseSplit>> answered(OffsetAnswers answers, long nowMillis) {
    dueMillis = nowMillis + RETRY_MILLIS;
    for (KorpseSplit split : answers.splits().values()) {
      TopicPartition partition = split.partition();
      failingSince.remove(partition);
      if (partitions.waiting().containsKey(partition) || partitions.isReady(partition)) {
        partitions.ready(split);
      }
    }
    Map<Integer, List<KorpseSplit>> replies = new TreeMap<>();
    asked.forEach(
        (reader, splits) -> {
          List<KorpseSplit> resolved =
              splits.keySet().stream().map(answers.splits()::get).filter(Objects::nonNull).toList();
          if (!resolved.isEmpty()) {
            replies.put(reader, resolved);
          }
        });
    replies.forEach(
        (reader, splits) -> splits.forEach(split -> asked.get(reader).remove(split.partition())));
    asked.values().removeIf(Map::isEmpty);
    answers.failures().values().forEach(failure -> check(failure, nowMillis));
    return replies;
  }

  private void check(Resolution.Unresolved failure, long now) {
    Long since = failingSince.putIfAbsent(failure.partition(), now);
    if (!failure.retriable()) {
      throw new FlinkRuntimeException(failure.reason(), failure.cause());
    } else if (since == null) {
      LOG.warn("{} waits for its offsets: {}", failure.partition(), failure.reason());
    } else if (now - since > timeout.toMillis()) {
      throw new FlinkRuntimeException(
          failure.reason()
              + " (waited "
              + (now - since)
              + " ms, at most "
              + timeout.toMillis()
              + "; the option is korpse.offsets.timeout)",
          failure.cause());
    }
  }
}
