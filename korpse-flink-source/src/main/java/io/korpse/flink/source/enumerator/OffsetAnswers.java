package io.korpse.flink.source.enumerator;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.OffsetRule;
import io.korpse.offsets.Origin;
import io.korpse.offsets.Position;
import io.korpse.offsets.Resolution;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;

/**
 * The splits that questions led to, and for the other partitions why not. Made on the worker
 * thread, immutable afterwards.
 */
record OffsetAnswers(
    Map<TopicPartition, KorpseSplit> splits, Map<TopicPartition, Resolution.Unresolved> failures) {

  // Starts that are a place in the log and not a position that someone has reached.
  private static final Set<Origin> PRISTINE =
      EnumSet.of(Origin.EARLIEST, Origin.TIMESTAMP, Origin.DURATION);

  /** Asks the cluster, once for each different rule; blocks. */
  static OffsetAnswers find(Cluster cluster, Collection<OffsetQuestion> questions) {
    Map<TopicPartition, Resolution.Unresolved> failures = new HashMap<>();
    Map<TopicPartition, Resolution.Resolved> starts = new HashMap<>();
    Map<TopicPartition, Long> stops = new HashMap<>();
    ask(cluster, questions, OffsetQuestion::start, starts, failures);
    List<OffsetQuestion> open = new ArrayList<>();
    for (OffsetQuestion question : questions) {
      if (failures.containsKey(question.partition())) {
        continue;
      }
      // A stop that the user gave as a number may lie beyond what is in the log yet.
      if (question.stop() instanceof OffsetRule.Explicit explicit
          && explicit.offsets().containsKey(question.partition())) {
        stops.put(question.partition(), explicit.offsets().get(question.partition()));
      } else {
        open.add(question);
      }
    }
    Map<TopicPartition, Resolution.Resolved> ends = new HashMap<>();
    ask(cluster, open, OffsetQuestion::stop, ends, failures);
    ends.forEach((partition, end) -> stops.put(partition, end.position().offset()));

    Map<TopicPartition, KorpseSplit> splits = new HashMap<>();
    for (OffsetQuestion question : questions) {
      TopicPartition partition = question.partition();
      if (!failures.containsKey(partition)) {
        Resolution.Resolved start = starts.get(partition);
        Position position = start == null ? question.position() : start.position();
        boolean pristine = start == null ? question.pristine() : PRISTINE.contains(start.origin());
        long stop = stops.getOrDefault(partition, question.stopOffset());
        splits.put(
            partition,
            new KorpseSplit(partition, position, stop, question.topicId(), pristine)
                .withStopSeen(ends.containsKey(partition)));
      }
    }
    return new OffsetAnswers(splits, failures);
  }

  private static void ask(
      Cluster cluster,
      Collection<OffsetQuestion> questions,
      Function<OffsetQuestion, OffsetRule> ruleOf,
      Map<TopicPartition, Resolution.Resolved> resolved,
      Map<TopicPartition, Resolution.Unresolved> failures) {
    Map<OffsetRule, List<TopicPartition>> byRule = new LinkedHashMap<>();
    for (OffsetQuestion question : questions) {
      OffsetRule rule = ruleOf.apply(question);
      if (rule != null) {
        byRule.computeIfAbsent(rule, ignored -> new ArrayList<>()).add(question.partition());
      }
    }
    byRule.forEach(
        (rule, partitions) ->
            cluster
                .resolve(partitions, rule)
                .forEach(
                    (partition, resolution) -> {
                      if (resolution instanceof Resolution.Resolved found) {
                        resolved.put(partition, found);
                      } else {
                        failures.put(partition, (Resolution.Unresolved) resolution);
                      }
                    }));
  }
}
