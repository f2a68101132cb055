package io.korpse.offsets;

import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;

/** Some partitions' offsets could not be found or stored. The message names each and the reason. */
public final class OffsetsException extends RuntimeException {

  private static final int NAMED = 20;

  private final transient Map<TopicPartition, String> reasons;

  OffsetsException(String message, Map<TopicPartition, String> reasons) {
    super(message + describe(reasons));
    this.reasons = Map.copyOf(reasons);
  }

  /** Why, for each partition; empty if it is not about single partitions. */
  public Map<TopicPartition, String> reasons() {
    return reasons == null ? Map.of() : reasons;
  }

  private static String describe(Map<TopicPartition, String> reasons) {
    TreeMap<String, String> sorted = new TreeMap<>();
    reasons.forEach((partition, reason) -> sorted.put(partition.toString(), reason));
    StringBuilder text = new StringBuilder();
    sorted.entrySet().stream()
        .limit(NAMED)
        .forEach(
            entry ->
                text.append(System.lineSeparator())
                    .append("  ")
                    .append(entry.getKey())
                    .append(": ")
                    .append(entry.getValue()));
    if (sorted.size() > NAMED) {
      text.append(System.lineSeparator())
          .append("  and ")
          .append(sorted.size() - NAMED)
          .append(" more");
    }
    return text.toString();
  }
}
