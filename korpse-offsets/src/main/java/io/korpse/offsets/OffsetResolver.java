package io.korpse.offsets;

import io.korpse.offsets.BrokerOffsets.Found;
import io.korpse.offsets.Resolution.Resolved;
import io.korpse.offsets.Resolution.Unresolved;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/**
 * Turns an {@link OffsetRule} into one answer per partition.
 *
 * <p>Blocking, for one caller at a time; does not own the Admin client. A call takes at most the
 * timeout; once some partitions are answered, the others (no leader, no topic) get a fraction of it
 * and come back as {@link Unresolved}, to be asked again by the caller.
 */
public final class OffsetResolver {

  private final BrokerQuestions questions;
  private final String groupId;
  private final IsolationLevel isolation;
  private final DataLossPolicy onDataLoss;
  private final Clock clock;

  /**
   * A resolver.
   *
   * @param groupIdOrNull whose commits {@link OffsetRule#committed} reads; null: there is no group
   * @param isolation what the log end means: the last stable offset when reading committed
   * @param onDataLoss what becomes of an offset that is outside the log
   * @param timeout bound of one call to {@link #resolve}
   * @param clock tells what "before now" means, and when the timeout is over
   */
  public OffsetResolver(
      Admin admin,
      String groupIdOrNull,
      IsolationLevel isolation,
      DataLossPolicy onDataLoss,
      Duration timeout,
      Clock clock) {
    this(new AdminBrokerOffsets(admin), groupIdOrNull, isolation, onDataLoss, timeout, clock);
  }

  OffsetResolver(
      BrokerOffsets broker,
      String groupIdOrNull,
      IsolationLevel isolation,
      DataLossPolicy onDataLoss,
      Duration timeout,
      Clock clock) {
    this.questions = new BrokerQuestions(broker, timeout, clock);
    this.groupId = groupIdOrNull;
    this.isolation = isolation;
    this.onDataLoss = onDataLoss;
    this.clock = clock;
  }

  /**
   * Resolves each partition by itself; the answer has one entry for each of {@code partitions}.
   *
   * @throws IllegalArgumentException if the rule needs a group and there is none
   * @throws org.apache.kafka.common.errors.InterruptException if the thread is interrupted
   */
  public Map<TopicPartition, Resolution> resolve(
      Collection<TopicPartition> partitions, OffsetRule rule) {
    if (rule.needsGroup() && groupId == null) {
      throw new IllegalArgumentException(
          "The offset rule '" + rule + "' reads a group's commits: set a group id");
    }
    Map<TopicPartition, Resolution> answers = new LinkedHashMap<>();
    if (!partitions.isEmpty()) {
      questions.begin();
      resolve(new LinkedHashSet<>(partitions), rule, "", answers);
    }
    return answers;
  }

  private void resolve(
      Set<TopicPartition> partitions,
      OffsetRule rule,
      String detail,
      Map<TopicPartition, Resolution> answers) {
    if (partitions.isEmpty()) {
      return;
    }
    if (rule instanceof OffsetRule.Earliest) {
      found(
          questions.list(partitions, OffsetSpec.earliest(), isolation),
          Origin.EARLIEST,
          detail,
          answers);
    } else if (rule instanceof OffsetRule.Latest) {
      found(
          questions.list(partitions, OffsetSpec.latest(), isolation),
          Origin.LATEST,
          detail,
          answers);
    } else if (rule instanceof OffsetRule.AtTimestamp at) {
      atTimestamp(partitions, at.epochMillis(), Origin.TIMESTAMP, detail, answers);
    } else if (rule instanceof OffsetRule.Before before) {
      long then = Math.max(0, clock.millis() - before.duration().toMillis());
      atTimestamp(partitions, then, Origin.DURATION, detail, answers);
    } else if (rule instanceof OffsetRule.Committed committed) {
      committed(partitions, committed, answers);
    } else if (rule instanceof OffsetRule.Explicit explicit) {
      explicit(partitions, explicit, answers);
    } else {
      custom(partitions, ((OffsetRule.Custom) rule).offsets(), answers);
    }
  }

  private static void found(
      Answers<Found> listed,
      Origin origin,
      String detail,
      Map<TopicPartition, Resolution> answers) {
    listed.found().forEach((p, f) -> answers.put(p, resolved(p, f, origin, detail)));
    answers.putAll(listed.failed());
  }

  private static Resolved resolved(
      TopicPartition partition, Found found, Origin origin, String detail) {
    return new Resolved(
        partition, new Position(found.offset(), found.leaderEpoch()), origin, detail);
  }

  // The log ends are read first: a record that arrives between the two requests is then after the
  // end that is taken, and is read, not skipped.
  private void atTimestamp(
      Set<TopicPartition> partitions,
      long epochMillis,
      Origin origin,
      String detail,
      Map<TopicPartition, Resolution> answers) {
    Answers<Found> ends = questions.list(partitions, OffsetSpec.latest(), isolation);
    answers.putAll(ends.failed());
    Answers<Found> hits =
        questions.list(ends.found().keySet(), OffsetSpec.forTimestamp(epochMillis), isolation);
    hits.failed()
        .forEach(
            (partition, failed) -> {
              if (ErrorTable.action(failed.cause()) == ErrorAction.NOTHING_THERE) {
                // Records of a format without timestamps.
                hits.found().put(partition, new Found(-1, Position.NO_EPOCH));
              } else {
                answers.put(partition, failed);
              }
            });
    String absent = "no record at or after timestamp " + epochMillis + ", so the log end";
    hits.found()
        .forEach(
            (partition, hit) -> {
              boolean none = hit.offset() < 0;
              answers.put(
                  partition,
                  resolved(
                      partition,
                      none ? ends.found().get(partition) : hit,
                      origin,
                      none ? join(detail, absent) : detail));
            });
  }

  private void committed(
      Set<TopicPartition> partitions,
      OffsetRule.Committed rule,
      Map<TopicPartition, Resolution> answers) {
    Answers<OffsetAndMetadata> commits = questions.committed(groupId, partitions);
    answers.putAll(commits.failed());
    Map<TopicPartition, Position> chosen = new LinkedHashMap<>();
    Set<TopicPartition> uncommitted = new LinkedHashSet<>();
    commits
        .found()
        .forEach(
            (partition, commit) -> {
              if (commit == null) {
                uncommitted.add(partition);
              } else {
                chosen.put(partition, Position.of(commit));
              }
            });
    inLog(chosen, Origin.COMMITTED, "the offset that group '" + groupId + "' committed", answers);
    if (rule.fallback() != null) {
      resolve(uncommitted, rule.fallback(), "group '" + groupId + "' has no commit", answers);
      return;
    }
    for (TopicPartition partition : uncommitted) {
      answers.put(
          partition,
          new Unresolved(
              partition,
              false,
              "Group '"
                  + groupId
                  + "' has no committed offset for "
                  + partition
                  + " and the start rule names no fallback: commit an offset first, or use"
                  + " committed(earliest()) or committed(latest())",
              null));
    }
  }

  private void explicit(
      Set<TopicPartition> partitions,
      OffsetRule.Explicit rule,
      Map<TopicPartition, Resolution> answers) {
    Map<TopicPartition, Position> chosen = new LinkedHashMap<>();
    Set<TopicPartition> others = new LinkedHashSet<>();
    for (TopicPartition partition : partitions) {
      Long offset = rule.offsets().get(partition);
      if (offset == null) {
        others.add(partition);
      } else {
        chosen.put(partition, Position.of(offset));
      }
    }
    inLog(chosen, Origin.EXPLICIT, "the explicit offset", answers);
    resolve(others, rule.fallback(), "no explicit offset", answers);
  }

  private void custom(
      Set<TopicPartition> partitions,
      CustomOffsets offsets,
      Map<TopicPartition, Resolution> answers) {
    Map<TopicPartition, Unresolved> unanswered = new HashMap<>();
    Map<TopicPartition, Long> given = offsets.offsets(partitions, new Lookup(unanswered));
    Map<TopicPartition, Position> chosen = new LinkedHashMap<>();
    for (TopicPartition partition : partitions) {
      Long offset = given.get(partition);
      if (offset != null && offset >= 0) {
        chosen.put(partition, Position.of(offset));
      } else if (offset == null && unanswered.containsKey(partition)) {
        answers.put(partition, unanswered.get(partition));
      } else {
        answers.put(
            partition,
            new Unresolved(
                partition,
                false,
                offsets.getClass().getName()
                    + (offset == null
                        ? " gave no offset for " + partition
                        : " gave offset " + offset + " for " + partition)
                    + ": it must give an offset of at least 0 for each partition",
                null));
      }
    }
    inLog(chosen, Origin.CUSTOM, "the custom offset", answers);
  }

  /** Puts each chosen position into the answers if it is in the log, else what the policy says. */
  private void inLog(
      Map<TopicPartition, Position> chosen,
      Origin origin,
      String what,
      Map<TopicPartition, Resolution> answers) {
    if (chosen.isEmpty()) {
      return;
    }
    Answers<LogBounds> bounds = questions.bounds(chosen.keySet(), isolation);
    answers.putAll(bounds.failed());
    bounds
        .found()
        .forEach(
            (partition, log) ->
                answers.put(
                    partition,
                    log.admit(partition, chosen.get(partition), origin, what, onDataLoss)));
    recheckBeyondEnd(chosen, origin, what, bounds.found(), answers);
  }

  // A leader that was just elected can answer with an end that is still behind what was committed
  // from its predecessor; a second look tells that from a log that was truncated.
  private void recheckBeyondEnd(
      Map<TopicPartition, Position> chosen,
      Origin origin,
      String what,
      Map<TopicPartition, LogBounds> bounds,
      Map<TopicPartition, Resolution> answers) {
    List<TopicPartition> beyond = new ArrayList<>();
    bounds.forEach(
        (partition, log) -> {
          if (log.isBeyondEnd(chosen.get(partition))) {
            beyond.add(partition);
          }
        });
    if (beyond.isEmpty() || !questions.pause()) {
      return;
    }
    questions
        .bounds(beyond, isolation)
        .found()
        .forEach(
            (partition, log) ->
                answers.put(
                    partition,
                    log.admit(partition, chosen.get(partition), origin, what, onDataLoss)));
  }

  private static String join(String one, String other) {
    return one.isEmpty() ? other : one + "; " + other;
  }

  private final class Lookup implements OffsetLookup {

    private final Map<TopicPartition, Unresolved> unanswered;

    Lookup(Map<TopicPartition, Unresolved> unanswered) {
      this.unanswered = unanswered;
    }

    @Override
    public Map<TopicPartition, Long> committed(Collection<TopicPartition> partitions) {
      if (groupId == null) {
        throw new IllegalStateException("There is no group whose commits could be read");
      }
      return answered(
          questions.committed(groupId, partitions),
          commit -> commit == null ? null : commit.offset());
    }

    @Override
    public Map<TopicPartition, Long> earliest(Collection<TopicPartition> partitions) {
      return answered(questions.list(partitions, OffsetSpec.earliest(), isolation), Found::offset);
    }

    @Override
    public Map<TopicPartition, Long> latest(Collection<TopicPartition> partitions) {
      return answered(questions.list(partitions, OffsetSpec.latest(), isolation), Found::offset);
    }

    @Override
    public Map<TopicPartition, Long> atTimestamps(Map<TopicPartition, Long> timestamps) {
      Map<TopicPartition, OffsetSpec> specs = new HashMap<>();
      timestamps.forEach((p, timestamp) -> specs.put(p, OffsetSpec.forTimestamp(timestamp)));
      return answered(
          questions.list(specs, isolation), hit -> hit.offset() < 0 ? null : hit.offset());
    }

    private <T> Map<TopicPartition, Long> answered(Answers<T> answers, Function<T, Long> toOffset) {
      unanswered.putAll(answers.failed());
      Map<TopicPartition, Long> offsets = new HashMap<>();
      answers
          .found()
          .forEach(
              (partition, value) -> {
                Long offset = toOffset.apply(value);
                if (offset != null) {
                  offsets.put(partition, offset);
                }
              });
      return offsets;
    }
  }
}
