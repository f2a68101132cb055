package io.korpse.flink.source.reader.proxy;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Knows the exceptions by which a consumer says that it cannot read what it has fetched.
 *
 * <p>They have no type and no field of their own, only a text. The consumer throws the same one
 * from every poll, whatever else it has, until the partition is moved past the damage.
 */
public final class Unreadable {

  /** The texts of kafka-clients' CompletedFetch and FetchCollector. */
  private static final Pattern PARTITION =
      Pattern.compile(
          "Received exception when fetching the next record from (.+)-(\\d+)\\. If needed,.*"
              + "|Encountered corrupt message when fetching offset .* for topic-partition"
              + " (.+)-(\\d+)");

  /** The text for an error code of the broker, which names each offset that is asked for. */
  private static final Pattern OFFSET = Pattern.compile(" when fetching offset \\d+ for ");

  private Unreadable() {}

  /** The partition of which the consumer could not read the next record, if it says so. */
  public static Optional<TopicPartition> partitionOf(KafkaException error) {
    Matcher matcher = PARTITION.matcher(String.valueOf(error.getMessage()));
    if (!matcher.matches()) {
      return Optional.empty();
    }
    int group = matcher.group(1) != null ? 1 : 3;
    return Optional.of(
        new TopicPartition(matcher.group(group), Integer.parseInt(matcher.group(group + 1))));
  }

  /** What is wrong: the same for each offset of a damaged batch, so without the offset itself. */
  public static String reasonOf(KafkaException error) {
    Throwable root = error;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return OFFSET.matcher(String.valueOf(root.getMessage())).replaceFirst(" when fetching ");
  }
}
