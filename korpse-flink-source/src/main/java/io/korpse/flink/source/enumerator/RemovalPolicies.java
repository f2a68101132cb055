package io.korpse.flink.source.enumerator;

import io.korpse.flink.source.SourceSettings;
import io.korpse.flink.source.TopicRemovalPolicy;
import io.korpse.flink.source.UnsubscribedPolicy;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.kafka.common.TopicPartition;

/** What the user wants to happen with partitions that are gone, and how to say that they are. */
final class RemovalPolicies {

  private final SourceSettings settings;
  private final Subscription subscription;

  RemovalPolicies(SourceSettings settings, Subscription subscription) {
    this.settings = settings;
    this.subscription = subscription;
  }

  /** The partitions among these that are read on by policy, although not subscribed to. */
  Set<TopicPartition> kept(Set<TopicPartition> known, Discovered found) {
    if (!keeps()) {
      return Set.of();
    }
    Set<TopicPartition> kept = new HashSet<>(known);
    kept.removeAll(found.partitions().keySet());
    kept.removeAll(subscribed(kept, found));
    return kept;
  }

  /** The partitions among these that were removed, and did not just leave the subscription. */
  Set<TopicPartition> lost(Set<TopicPartition> gone, Discovered found) {
    return keeps() ? gone : subscribed(gone, found);
  }

  private boolean keeps() {
    return settings.onUnsubscribed() == UnsubscribedPolicy.KEEP;
  }

  /** The partitions among these that are known not to be read on, whatever the cluster has. */
  Set<TopicPartition> unsubscribed(Collection<TopicPartition> restored) {
    if (keeps()) {
      return Set.of();
    }
    return restored.stream()
        .filter(partition -> !subscription.mayWant(partition))
        .collect(Collectors.toSet());
  }

  /**
   * The partitions among these that are subscribed to. What a custom subscriber wants is known only
   * from what it named at this look.
   */
  private Set<TopicPartition> subscribed(Set<TopicPartition> gone, Discovered found) {
    boolean custom = subscription instanceof Subscription.Custom;
    return gone.stream()
        .filter(
            partition ->
                subscription.wants(partition)
                    || (custom && found.missing().contains(partition.toString())))
        .collect(Collectors.toSet());
  }

  /** Whether the job goes on without topics that are gone. */
  boolean goesOn() {
    return settings.onTopicRemoved() == TopicRemovalPolicy.CONTINUE;
  }

  /** Fails the job if the policy for any of the partitions says so. */
  void failIfAsked(Set<TopicPartition> gone, Set<TopicPartition> recreated, Discovered found) {
    Set<TopicPartition> lost = lost(gone, found);
    Set<String> unsubscribed = new TreeSet<>();
    Set<String> removed = new TreeSet<>();
    for (TopicPartition partition : gone) {
      (lost.contains(partition) ? removed : unsubscribed).add(partition.toString());
    }
    if (!unsubscribed.isEmpty() && settings.onUnsubscribed() == UnsubscribedPolicy.FAIL) {
      throw new FlinkRuntimeException(
          "The restored state holds partitions that are not subscribed to: "
              + unsubscribed
              + ". Subscribe to them, or set korpse.on-unsubscribed to drop or keep.");
    }
    if (goesOn()) {
      return;
    }
    if (!removed.isEmpty()) {
      throw new FlinkRuntimeException(
          "Partitions that were being read no longer exist at "
              + settings.bootstrapServers()
              + ": "
              + removed
              + ". Create them, or set korpse.on-topic-removed to continue without them.");
    }
    if (!recreated.isEmpty()) {
      Set<String> names = new TreeSet<>();
      recreated.forEach(partition -> names.add(partition.toString()));
      throw new FlinkRuntimeException(
          "Topics were deleted and created again while they were being read, so that positions in"
              + " them mean nothing: "
              + names
              + ". Set korpse.on-topic-removed to continue to read them from the start policy for"
              + " new partitions, or start without this state.");
    }
  }

  /** The error of discoveries that failed too often in a row. */
  FlinkRuntimeException undiscovered(int failures, Throwable error) {
    return new FlinkRuntimeException(
        "The partitions of "
            + subscription.describe()
            + " could not be found ("
            + failures
            + " failures in a row): "
            + error.getMessage(),
        error);
  }

  /** The error of a start with names that do not exist. */
  FlinkRuntimeException missing(Set<String> names) {
    return new FlinkRuntimeException(
        "These topics or partitions do not exist at "
            + settings.bootstrapServers()
            + ": "
            + names
            + ". Create them or correct the subscription; the source never creates topics.");
  }
}
