package io.korpse.flink.jobs.chaos;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Judges the committed positions of a group: they must never be beyond what a completed checkpoint
 * holds, and never go back. Not thread-safe.
 *
 * <p>The first is watched while the job runs, for only then is it known which checkpoints are
 * complete. The second is read from the log of commits afterwards: what a coordinator answers may
 * be older for a moment, after another broker has become it, until its replicas have caught up.
 */
final class CommitAudit {

  private static final Pattern WRITER = Pattern.compile("^korpse/1 job=(\\S+) checkpoint=(\\d+) ");
  private static final int NAMED = 20;

  private final CheckpointPositions checkpoints;
  private final Map<TopicPartition, Long> watched = new HashMap<>();
  private final Map<TopicPartition, Long> committed = new HashMap<>();
  private final List<String> details = new ArrayList<>();
  private final List<Writer> back = new ArrayList<>();
  private long ahead;
  private long traced;
  private long untraced;

  /**
   * Who has committed.
   *
   * @param attempt of a reader, as its job, its subtask and a number; empty when it is not named
   * @param checkpoint that was committed; -1 when it is not named
   */
  private record Writer(String attempt, long checkpoint) {

    static Writer of(OffsetAndMetadata position) {
      Matcher named = WRITER.matcher(position.metadata());
      return named.find()
          ? new Writer(named.group(1), Long.parseLong(named.group(2)))
          : new Writer("", -1);
    }
  }

  CommitAudit(CheckpointPositions checkpoints) {
    this.checkpoints = checkpoints;
  }

  /**
   * Takes what the group has committed now.
   *
   * @param now by partition; the checkpoints must have been read after it was asked for
   */
  void watch(Map<TopicPartition, OffsetAndMetadata> now) {
    now.forEach(
        (partition, position) -> {
          if (position != null && differs(watched.put(partition, position.offset()), position)) {
            requireHeld(partition, position);
          }
        });
  }

  private static boolean differs(Long before, OffsetAndMetadata now) {
    return before == null || before != now.offset();
  }

  private void requireHeld(TopicPartition partition, OffsetAndMetadata position) {
    if (position.offset() > checkpoints.highest(partition)) {
      ahead++;
      name(
          "committed ahead: "
              + text(partition, position)
              + ", checkpoints hold "
              + checkpoints.highest(partition));
    }
  }

  /** Takes the next commit of the log, in its order. */
  void replay(TopicPartition partition, OffsetAndMetadata position) {
    Long before = committed.put(partition, position.offset());
    Writer writer = Writer.of(position);
    if (before != null && before > position.offset()) {
      back.add(writer);
      name("committed back: " + text(partition, position) + ", before at " + before);
    }
    if (checkpoints.holds(writer.checkpoint(), partition, position.offset())) {
      traced++;
    } else {
      untraced++;
      name("committed by no known checkpoint: " + text(partition, position));
    }
  }

  private static String text(TopicPartition partition, OffsetAndMetadata position) {
    return partition + " at " + position.offset() + " '" + position.metadata() + "'";
  }

  private void name(String detail) {
    if (details.size() < NAMED) {
      details.add(detail);
    }
  }

  /** How many commits were lower than the one before. */
  long back() {
    return back.size();
  }

  /**
   * How many of them were not of an attempt that was frozen, or not of the same request as the
   * first of it. One request of such an attempt may come too late, and the next commit corrects it.
   *
   * @param frozen the attempts that were frozen
   */
  long backWithoutExcuse(Set<String> frozen) {
    Map<String, Long> late = new HashMap<>();
    return back.stream()
        .filter(
            writer -> {
              late.putIfAbsent(writer.attempt(), writer.checkpoint());
              return !frozen.contains(writer.attempt())
                  || late.get(writer.attempt()) != writer.checkpoint();
            })
        .count();
  }

  /** How many positions were seen that no completed checkpoint held. */
  long ahead() {
    return ahead;
  }

  /** Commits that hold exactly what the checkpoint holds that their metadata names. */
  long traced() {
    return traced;
  }

  /** Commits whose checkpoint was gone before it could be read, or that name none. */
  long untraced() {
    return untraced;
  }

  /** The first faults. */
  List<String> details() {
    return List.copyOf(details);
  }
}
