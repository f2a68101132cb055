package io.korpse.offsets.commit;

import io.korpse.offsets.ErrorAction;
import io.korpse.offsets.ErrorTable;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;

/**
 * What follows when single partitions are refused while others go on: when each is tried next, with
 * how much metadata, what the status shows, and what is told. Confined to the committer's thread.
 */
final class Refusals {

  /** How often a partition is tried whose error may pass, before it is left out. */
  static final int ATTEMPTS = 3;

  private final CommitSettings settings;
  private final CommitStatus status;
  private final CommitNews news;

  private Set<String> suspectTopics = new TreeSet<>();

  Refusals(CommitSettings settings, CommitStatus status) {
    this.settings = settings;
    this.status = status;
    this.news = new CommitNews(settings.groupId());
  }

  /** Whether an error tells of the partition that it is for, not of the group as a whole. */
  static boolean concerns(Errors error, int partitionsSent) {
    return switch (ErrorTable.action(error)) {
      case ISOLATE, SUSPEND_PARTITION, TRIM_METADATA, SURFACE -> true;
      case HALVE_BATCH -> partitionsSent == 1;
      default -> false;
    };
  }

  /** Learns that the broker refused a partition; returns whether that counts as a failure. */
  boolean refuse(TopicPartition partition, CommitEntry entry, Errors error, long now) {
    entry.failures++;
    ErrorAction action = ErrorTable.action(error);
    switch (action) {
      case TRIM_METADATA -> {
        status.trimmed();
        if (entry.detail == CommitMetadata.Detail.NONE) {
          leaveOut(partition, error, "");
          entry.notBefore = now + settings.slowProbe();
        } else {
          entry.detail = entry.detail.less();
          entry.notBefore = now;
          news.trimmed(partition, entry.detail);
        }
      }
      case ISOLATE -> {
        if (!delay(entry, now)) {
          suspectTopics.add(partition.topic());
          leaveOut(partition, error, "the topic or partition is not known to the broker");
        }
      }
      case HALVE_BATCH -> {
        if (!delay(entry, now)) {
          leaveOut(partition, error, "it fails also when it is sent alone");
        }
      }
      case SUSPEND_PARTITION -> {
        entry.notBefore = now + settings.slowProbe();
        leaveOut(partition, error, "the client needs the right READ on the topic");
      }
      default -> {
        entry.notBefore = now + settings.slowProbe();
        leaveOut(partition, error, error.message());
      }
    }
    return action != ErrorAction.TRIM_METADATA;
  }

  /** Learns that what the group holds of a partition was not to be had. */
  void unreadable(TopicPartition partition, CommitEntry entry, long now) {
    entry.failures++;
    delay(entry, now);
    leaveOut(
        partition,
        "UNREADABLE",
        "what the group holds of it cannot be read, as without a right on the topic");
  }

  /** Learns that a later attempt of the job has taken over a partition. */
  void superseded(TopicPartition partition, CommitEntry entry, String metadata, long now) {
    entry.notBefore = now + settings.slowProbe();
    leaveOut(partition, "SUPERSEDED", "a later attempt of this job commits: " + metadata);
  }

  /** Learns that a commit of a partition was accepted. */
  void accepted(TopicPartition partition) {
    if (status.isRefused(partition)) {
      news.acceptedAgain(partition);
      status.accepted(partition);
    }
  }

  /** Topics that may be gone; asked for once. */
  Set<String> takeSuspectTopics() {
    Set<String> suspects = suspectTopics;
    if (!suspects.isEmpty()) {
      suspectTopics = new TreeSet<>();
    }
    return suspects;
  }

  /** Tells what changed since the last time. */
  void tell() {
    news.write();
  }

  /** Sets the time of the next try; returns whether it is a soon one. */
  private boolean delay(CommitEntry entry, long now) {
    boolean soon = entry.failures < ATTEMPTS;
    entry.notBefore =
        now + (soon ? settings.backoff().millis(entry.failures) : settings.slowProbe());
    return soon;
  }

  private void leaveOut(TopicPartition partition, Errors error, String remedy) {
    leaveOut(partition, error.name(), remedy.isEmpty() ? error.name() : error + ": " + remedy);
  }

  private void leaveOut(TopicPartition partition, String reason, String why) {
    if (!status.isRefused(partition)) {
      news.refused(partition, why);
    }
    status.refused(partition, reason);
  }
}
