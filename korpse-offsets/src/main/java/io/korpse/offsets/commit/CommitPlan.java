package io.korpse.offsets.commit;

import io.korpse.offsets.ErrorTable;
import io.korpse.offsets.Position;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what to commit next, and learns from the answers. Starts no thread, asks nobody, and is
 * told the time; confined to the committer's thread.
 *
 * <p>Each partition has the newest position that was submitted and the one that is in the group; a
 * request holds those that differ and those that were not confirmed for so long that the broker
 * might expire them. An error code is looked up in {@link ErrorTable}; its action either makes one
 * partition wait, or the whole group.
 */
final class CommitPlan {

  private static final Logger LOG = LoggerFactory.getLogger(CommitPlan.class);

  private final CommitSettings settings;
  private final CommitStatus status;
  private final CommitListener listener;
  private final GroupHealth health;
  private final Refusals refusals;
  private final Map<TopicPartition, CommitEntry> entries = new HashMap<>();

  private final long startedAt;

  private long verifyAt = Long.MAX_VALUE;

  /** A plan of a run that begins at {@code now}. */
  CommitPlan(CommitSettings settings, CommitStatus status, CommitListener listener, long now) {
    this.startedAt = now;
    this.settings = settings;
    this.status = status;
    this.listener = listener;
    this.health = new GroupHealth(settings, status, listener);
    this.refusals = new Refusals(settings, status);
  }

  /** Takes newer positions; one that is behind an earlier one is counted and left out. */
  void submit(long checkpointId, Map<TopicPartition, Position> positions, long now) {
    for (Map.Entry<TopicPartition, Position> submitted : positions.entrySet()) {
      CommitEntry entry =
          entries.computeIfAbsent(submitted.getKey(), partition -> new CommitEntry());
      Position position = submitted.getValue();
      if (position.equals(entry.wanted)) {
        entry.checkpointId = Math.max(entry.checkpointId, checkpointId);
        // Its reader still has a partition whose topic was not there: a quiet one of a topic that
        // came back has no newer position to tell so.
        if (entry.isParkedFor(settings.probeMillis(), now)) {
          entry.unpark(now);
        }
        continue;
      }
      if (entry.wanted != null && position.offset() < entry.wanted.offset()) {
        status.ignoredStale();
        continue;
      }
      if (!entry.isPending()) {
        entry.wantedSince = now;
      }
      entry.wanted = position;
      entry.checkpointId = checkpointId;
      if (entry.isParked()) {
        entry.unpark(now);
      }
    }
  }

  /** Forgets partitions that left the reader. */
  void remove(Collection<TopicPartition> partitions) {
    for (TopicPartition partition : partitions) {
      entries.remove(partition);
      status.forget(partition);
    }
  }

  /** Forgets and returns the partitions whose positions are not in the group. */
  Set<TopicPartition> removePending() {
    Set<TopicPartition> pending = new HashSet<>();
    entries.forEach(
        (partition, entry) -> {
          if (entry.isPending()) {
            pending.add(partition);
          }
        });
    remove(pending);
    return pending;
  }

  /** Makes what waits for a retry due now, once. */
  void hurry(long now) {
    health.hurry(now);
    for (CommitEntry entry : entries.values()) {
      if (!entry.isParked()) {
        entry.notBefore = Math.min(entry.notBefore, now);
      }
    }
  }

  /** Partitions whose metadata in the group was not looked at yet and that are due. */
  List<TopicPartition> lookups(long now) {
    List<TopicPartition> partitions = new ArrayList<>();
    if (now >= health.notBefore()) {
      entries.forEach(
          (partition, entry) -> {
            if (!entry.lookedUp && entry.isDue(now, settings.refreshMillis())) {
              partitions.add(partition);
            }
          });
    }
    return partitions;
  }

  /**
   * Learns what was in the group before this committer's first commit, or before it tries again
   * after a request that failed. A partition that is not in the answer is not known, which is not
   * the same as having no offset. A task that was frozen finds what the attempt that took over has
   * committed, and keeps still.
   */
  void lookedUp(
      Collection<TopicPartition> partitions,
      Map<TopicPartition, OffsetAndMetadata> found,
      long now) {
    TreeMap<String, String> back = new TreeMap<>();
    for (TopicPartition partition : partitions) {
      CommitEntry entry = entries.get(partition);
      if (entry == null) {
        continue;
      }
      OffsetAndMetadata committed = found.get(partition);
      if (!found.containsKey(partition)) {
        refusals.unreadable(partition, entry, now);
      } else if (committed == null) {
        entry.lookedUp = true;
      } else if (CommitMetadata.isOfLaterAttempt(
          committed.metadata(), settings.identity(), entry.checkpointId, startedAt)) {
        refusals.superseded(partition, entry, committed.metadata(), now);
      } else {
        entry.lookedUp = true;
        entry.foreign = CommitMetadata.foreign(committed.metadata(), committed.offset());
        if (committed.offset() > entry.wanted.offset()) {
          back.put(partition.toString(), committed.offset() + " to " + entry.wanted.offset());
          if (entry.inGroup != null) {
            status.steppedBack();
          }
        }
      }
    }
    refusals.tell();
    if (!back.isEmpty()) {
      LOG.info(
          "Group {} goes back, as after a restore from an older checkpoint or when others have"
              + " committed to it: {}",
          settings.groupId(),
          back);
    }
  }

  /** What to commit now; empty if nothing is due. */
  Map<TopicPartition, Position> next(long now) {
    Map<TopicPartition, Position> due = new LinkedHashMap<>();
    if (now < health.notBefore()) {
      return due;
    }
    for (Map.Entry<TopicPartition, CommitEntry> entry : entries.entrySet()) {
      if (entry.getValue().isDue(now, settings.refreshMillis())) {
        due.put(entry.getKey(), entry.getValue().wanted);
        if (due.size() >= health.batchLimit()) {
          break;
        }
      }
    }
    return due;
  }

  /** The positions in the form of a request. */
  Map<TopicPartition, OffsetAndMetadata> request(Map<TopicPartition, Position> due, long now) {
    Map<TopicPartition, OffsetAndMetadata> request = new LinkedHashMap<>();
    due.forEach(
        (partition, position) -> {
          CommitEntry entry = entries.get(partition);
          request.put(
              partition,
              new OffsetAndMetadata(
                  position.offset(),
                  position.epoch(),
                  CommitMetadata.compose(
                      settings.identity(), entry.checkpointId, now, entry.foreign, entry.detail)));
        });
    return request;
  }

  /** Learns each partition's result of a request. */
  void answered(Map<TopicPartition, Position> sent, Map<TopicPartition, Errors> results, long now) {
    Map<TopicPartition, Position> accepted = new LinkedHashMap<>();
    Errors groupError = null;
    boolean refused = false;
    for (Map.Entry<TopicPartition, Position> position : sent.entrySet()) {
      TopicPartition partition = position.getKey();
      CommitEntry entry = entries.get(partition);
      Errors error = results.getOrDefault(partition, Errors.UNKNOWN_SERVER_ERROR);
      if (entry == null) {
        continue;
      }
      if (error == Errors.NONE) {
        accept(partition, entry, position.getValue(), now);
        accepted.put(partition, position.getValue());
      } else if (Refusals.concerns(error, sent.size())) {
        refused |= refusals.refuse(partition, entry, error, now);
      } else {
        groupError = error;
      }
    }
    if (groupError != null) {
      status.requestFailed();
      health.refused(groupError, groupError.message(), sent.size(), now);
      readAgain();
    } else {
      if (refused) {
        status.requestFailed();
      } else {
        status.requestSucceeded(now);
      }
      health.answered(refused && accepted.isEmpty() ? status.refused() : Map.of());
    }
    refusals.tell();
    if (!accepted.isEmpty()) {
      if (verifyAt == Long.MAX_VALUE) {
        verifyAt = now + settings.verifyMillis();
      }
      tell(accepted);
    }
  }

  /** Learns that a request got no answer at all. */
  void failed(Throwable failure, long now) {
    status.requestFailed();
    health.unanswered(failure, now);
    readAgain();
  }

  /** While a request failed others may have committed. */
  private void readAgain() {
    entries.values().forEach(entry -> entry.lookedUp &= !entry.isPending());
  }

  private void accept(TopicPartition partition, CommitEntry entry, Position position, long now) {
    entry.inGroup = position;
    entry.confirmedAt = now;
    entry.toldGone = false;
    entry.unpark(now);
    status.committed(partition, position);
    refusals.accepted(partition);
  }

  /** Topics that may be gone; asked for once. */
  Set<String> takeSuspectTopics() {
    return refusals.takeSuspectTopics();
  }

  /**
   * Leaves the topics' partitions alone until a new position of them is submitted, or the same one
   * again after the time of a slow probe.
   */
  void gone(Collection<String> topics, long now) {
    Set<String> news = new TreeSet<>();
    entries.forEach(
        (partition, entry) -> {
          if (topics.contains(partition.topic())) {
            entry.park(now);
            if (!entry.toldGone) {
              entry.toldGone = true;
              news.add(partition.topic());
            }
          }
        });
    if (!news.isEmpty()) {
      LOG.warn(
          "Topics {} do not exist any more; group {} gets no commits for them",
          news,
          settings.groupId());
    }
  }

  /** Partitions to compare with the group now; empty if it is not time. */
  List<TopicPartition> verifications(long now) {
    if (now < verifyAt || now < health.notBefore()) {
      return List.of();
    }
    verifyAt = now + settings.verifyMillis();
    List<TopicPartition> partitions = new ArrayList<>();
    entries.forEach(
        (partition, entry) -> {
          if (entry.inGroup != null && !entry.isParked()) {
            partitions.add(partition);
          }
        });
    return partitions;
  }

  /** Finds partitions that were set back behind this committer's back, and has them sent again. */
  void verified(Map<TopicPartition, OffsetAndMetadata> found, long now) {
    TreeMap<String, String> back = new TreeMap<>();
    found.forEach(
        (partition, committed) -> {
          CommitEntry entry = entries.get(partition);
          if (entry == null || entry.inGroup == null) {
            return;
          }
          if (committed == null) {
            entry.resend(now);
          } else if (committed.offset() < entry.inGroup.offset()) {
            back.put(partition.toString(), entry.inGroup + " to " + committed.offset());
            status.steppedBack();
            entry.resend(now);
          }
        });
    if (!back.isEmpty()) {
      LOG.warn(
          "Group {} was set back by another writer, as a frozen task does; committing again: {}",
          settings.groupId(),
          back);
    }
  }

  /** Whether all that was submitted is in the group. */
  boolean isSettled() {
    for (CommitEntry entry : entries.values()) {
      if (entry.isPending()) {
        return false;
      }
    }
    return true;
  }

  /** Whether waiting can settle more: false when all that is left is refused for good. */
  boolean canSettle() {
    for (CommitEntry entry : entries.values()) {
      if (entry.isPending() && !entry.isParked()) {
        return true;
      }
    }
    return false;
  }

  /** When something is due next, in milliseconds since 1970; {@link Long#MAX_VALUE}: never. */
  long nextDue() {
    long next = verifyAt;
    long pendingSince = CommitStatus.NOTHING_PENDING;
    for (CommitEntry entry : entries.values()) {
      if (entry.wanted == null || entry.isParked()) {
        continue;
      }
      long due =
          entry.isPending()
              ? entry.notBefore
              : Math.max(entry.notBefore, entry.confirmedAt + settings.refreshMillis());
      next = Math.min(next, due);
      if (entry.isPending()) {
        pendingSince = Math.min(pendingSince, entry.wantedSince);
      }
    }
    status.pendingSince(pendingSince);
    return next == Long.MAX_VALUE ? next : Math.max(next, health.notBefore());
  }

  /** What the plan knows of the group as a whole. */
  GroupHealth health() {
    return health;
  }

  private void tell(Map<TopicPartition, Position> accepted) {
    try {
      listener.committed(accepted);
    } catch (RuntimeException e) {
      LOG.warn("The commit listener failed", e);
    }
  }
}
