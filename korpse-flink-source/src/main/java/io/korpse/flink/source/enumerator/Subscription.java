package io.korpse.flink.source.enumerator;

import java.io.Serializable;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.kafka.common.TopicPartition;

/** Which topics and partitions are read. Immutable. */
public sealed interface Subscription extends Serializable {

  /** Whether the partition, if it exists, is read; for custom subscriptions not known: false. */
  boolean wants(TopicPartition partition);

  /** Whether the partition may be read: true unless it is known to be unwanted. */
  default boolean mayWant(TopicPartition partition) {
    return wants(partition);
  }

  /** For messages and lineage: the topics that are named, or a pattern. */
  String describe();

  /** All partitions of the named topics, each of which must exist. */
  record Topics(Set<String> names) implements Subscription {
    /** Copies the names, which must not be empty. */
    public Topics {
      names = notEmpty(names, "topic");
      if (names.stream().anyMatch(String::isBlank)) {
        throw new IllegalArgumentException("The name of a topic to read from is blank");
      }
    }

    /** The names of a list; null is refused as none is. */
    public static Topics of(@Nullable Collection<String> names) {
      return new Topics(names == null ? null : new HashSet<>(names));
    }

    @Override
    public boolean wants(TopicPartition partition) {
      return names.contains(partition.topic());
    }

    @Override
    public String describe() {
      return String.join(",", new TreeSet<>(names));
    }
  }

  /** All partitions of the topics whose whole name matches; there may be none. */
  record TopicPattern(Pattern pattern) implements Subscription {
    /** Rejects null. */
    public TopicPattern {
      Objects.requireNonNull(pattern, "A topic pattern is needed");
    }

    @Override
    public boolean wants(TopicPartition partition) {
      return matches(partition.topic());
    }

    boolean matches(String topic) {
      return pattern.matcher(topic).matches();
    }

    @Override
    public String describe() {
      return pattern.toString();
    }
  }

  /** The given partitions, each of which must exist. */
  record Partitions(Set<TopicPartition> partitions) implements Subscription {
    /** Copies the partitions, which must not be empty. */
    public Partitions {
      partitions = notEmpty(partitions, "partition");
    }

    Set<String> topics() {
      return partitions.stream().map(TopicPartition::topic).collect(Collectors.toSet());
    }

    @Override
    public boolean wants(TopicPartition partition) {
      return partitions.contains(partition);
    }

    @Override
    public String describe() {
      return String.join(",", new TreeSet<>(topics()));
    }
  }

  /** What the user's code says. */
  record Custom(KafkaSubscriber subscriber) implements Subscription {
    /** Rejects null. */
    public Custom {
      Objects.requireNonNull(subscriber, "A subscriber is needed");
    }

    @Override
    public boolean wants(TopicPartition partition) {
      return false;
    }

    @Override
    public boolean mayWant(TopicPartition partition) {
      return true;
    }

    @Override
    public String describe() {
      return subscriber.getClass().getName();
    }
  }

  private static <T> Set<T> notEmpty(Set<T> values, String what) {
    Objects.requireNonNull(values, () -> "At least one " + what + " is needed to read from");
    values.forEach(
        value -> Objects.requireNonNull(value, () -> "A " + what + " to read from is null"));
    if (values.isEmpty()) {
      throw new IllegalArgumentException("At least one " + what + " is needed to read from");
    }
    return Set.copyOf(List.copyOf(values));
  }
}
