package io.korpse.offsets.commit;

import io.korpse.offsets.ErrorAction;
import io.korpse.offsets.ErrorTable;
import io.korpse.offsets.Position;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
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

  /** How often an unknown topic is asked for again before it is left out. */
  static final int METADATA_ATTEMPTS = 3;

  private static final int LARGEST_BATCH = 100_000;

  private final CommitSettings settings;
  private final CommitStatus status;
  private final CommitListener listener;
  private final Map<TopicPartition, CommitEntry> entries = new HashMap<>();

  private long groupNotBefore;
  private int groupFailures;
  private int batchLimit = LARGEST_BATCH;
  private long verifyAt = Long.MAX_VALUE;
  private boolean membersWanted;
  private Set<String> suspectTopics = new TreeSet<>();

  CommitPlan(CommitSettings settings, CommitStatus status, CommitListener listener) {
    this.settings = settings;
    this.status = status;
    this.listener = listener;
  }

  /** Takes newer positions; one that is behind an earlier one is counted and left out. */
  void submit(long checkpointId, Map<TopicPartition, Position> positions, long now) {
    for (Map.Entry<TopicPartition, Position> submitted : positions.entrySet()) {
      CommitEntry entry =
          entries.computeIfAbsent(submitted.getKey(), partition -> new CommitEntry());
      Position position = submitted.getValue();
      if (position.equals(entry.wanted)) {
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
        entry.notBefore = now;
        entry.failures = 0;
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

  /** Makes what waits for a retry due now, once. */
  void hurry(long now) {
    groupNotBefore = Math.min(groupNotBefore, now);
    for (CommitEntry entry : entries.values()) {
      if (!entry.isParked()) {
        entry.notBefore = Math.min(entry.notBefore, now);
      }
    }
  }

  /** Partitions whose metadata in the group was not looked at yet and that are due. */
  List<TopicPartition> lookups(long now) {
    List<TopicPartition> partitions = new ArrayList<>();
    if (now >= groupNotBefore) {
      entries.forEach(
          (partition, entry) -> {
            if (!entry.lookedUp && entry.isDue(now, settings.refreshMillis())) {
              partitions.add(partition);
            }
          });
    }
    return partitions;
  }

  /** Learns what was in the group before this committer's first commit. */
  void lookedUp(
      Collection<TopicPartition> partitions, Map<TopicPartition, OffsetAndMetadata> found) {
    TreeMap<String, String> back = new TreeMap<>();
    for (TopicPartition partition : partitions) {
      CommitEntry entry = entries.get(partition);
      if (entry == null) {
        continue;
      }
      entry.lookedUp = true;
      OffsetAndMetadata committed = found.get(partition);
      if (committed != null) {
        entry.foreign = CommitMetadata.foreign(committed.metadata(), committed.offset());
        if (committed.offset() > entry.wanted.offset()) {
          back.put(partition.toString(), committed.offset() + " to " + entry.wanted.offset());
        }
      }
    }
    if (!back.isEmpty()) {
      LOG.info(
          "Group {} goes back, as after a restore from an older checkpoint: {}",
          settings.groupId(),
          back);
    }
  }

  /** What to commit now; empty if nothing is due. */
  Map<TopicPartition, Position> next(long now) {
    Map<TopicPartition, Position> due = new LinkedHashMap<>();
    if (now < groupNotBefore) {
      return due;
    }
    for (Map.Entry<TopicPartition, CommitEntry> entry : entries.entrySet()) {
      if (entry.getValue().isDue(now, settings.refreshMillis())) {
        due.put(entry.getKey(), entry.getValue().wanted);
        if (due.size() >= batchLimit) {
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
      } else if (isOfPartition(ErrorTable.action(error))) {
        refused |= ErrorTable.action(error) != ErrorAction.TRIM_METADATA;
        refuse(partition, entry, error, now);
      } else {
        groupError = error;
      }
    }
    if (groupError != null) {
      status.requestFailed();
      groupFailed(groupError, groupError.message(), sent.size(), now);
    } else {
      if (refused) {
        status.requestFailed();
      } else {
        status.requestSucceeded(now);
      }
      groupFailures = 0;
      groupNotBefore = now;
      batchLimit = Math.min(LARGEST_BATCH, batchLimit * 2);
      change(CommitState.COMMITTING, "");
    }
    if (!accepted.isEmpty()) {
      if (verifyAt == Long.MAX_VALUE) {
        verifyAt = now + settings.verifyMillis();
      }
      tell(accepted);
    }
  }

  /** Learns that a request got no answer at all. */
  void failed(Throwable failure, int partitions, long now) {
    Throwable cause = ErrorTable.cause(failure);
    status.requestFailed();
    Errors error = Errors.forException(cause);
    groupFailed(
        cause instanceof java.util.concurrent.TimeoutException ? Errors.REQUEST_TIMED_OUT : error,
        cause.toString(),
        partitions,
        now);
  }

  private void accept(TopicPartition partition, CommitEntry entry, Position position, long now) {
    entry.inGroup = position;
    entry.confirmedAt = now;
    entry.failures = 0;
    entry.notBefore = now;
    status.committed(partition, position);
    if (status.isRefused(partition)) {
      LOG.info("Commits of {} to group {} are accepted again", partition, settings.groupId());
      status.accepted(partition);
    }
  }

  private static boolean isOfPartition(ErrorAction action) {
    return switch (action) {
      case ISOLATE, SUSPEND_PARTITION, TRIM_METADATA, SURFACE -> true;
      default -> false;
    };
  }

  private void refuse(TopicPartition partition, CommitEntry entry, Errors error, long now) {
    entry.failures++;
    switch (ErrorTable.action(error)) {
      case TRIM_METADATA -> {
        status.trimmed();
        if (entry.detail == CommitMetadata.Detail.NONE) {
          leaveOut(partition, error, "");
          entry.notBefore = now + settings.slowProbe();
        } else {
          entry.detail = entry.detail.less();
          entry.notBefore = now;
          LOG.warn(
              "The metadata of {} in group {} is longer than the broker's"
                  + " offset.metadata.max.bytes; sending {} of it",
              partition,
              settings.groupId(),
              entry.detail);
        }
      }
      case ISOLATE -> {
        if (entry.failures < METADATA_ATTEMPTS) {
          entry.notBefore = now + settings.backoff().millis(entry.failures);
        } else {
          suspectTopics.add(partition.topic());
          entry.notBefore = now + settings.slowProbe();
          leaveOut(partition, error, "the topic or partition is not known to the broker");
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
  }

  private void leaveOut(TopicPartition partition, Errors error, String remedy) {
    if (!status.isRefused(partition)) {
      LOG.warn(
          "Commits of {} to group {} are refused with {}: {}. The other partitions go on",
          partition,
          settings.groupId(),
          error,
          remedy);
    }
    status.refused(partition, error.name());
  }

  private void groupFailed(Errors error, String text, int partitions, long now) {
    groupFailures++;
    ErrorAction action = ErrorTable.action(error);
    if (action == ErrorAction.HALVE_BATCH && partitions > 1) {
      batchLimit = Math.max(1, partitions / 2);
    }
    switch (action) {
      case BLOCKED_BY_MEMBERS -> {
        membersWanted |= status.state() != CommitState.BLOCKED_BY_MEMBERS;
        groupNotBefore = now + settings.slowProbe();
        change(CommitState.BLOCKED_BY_MEMBERS, error + ": the group has live members");
      }
      case SUSPEND_GROUP -> {
        groupNotBefore = now + settings.slowProbe();
        change(
            CommitState.SUSPENDED,
            error + ": the client needs the right READ on the group and valid credentials");
      }
      case RETRY, REDISCOVER, CLIENT -> {
        groupNotBefore = now + settings.backoff().millis(groupFailures);
        change(CommitState.RETRYING, error + ": " + text);
      }
      default -> {
        boolean soon = action == ErrorAction.HALVE_BATCH && groupFailures <= METADATA_ATTEMPTS * 6;
        groupNotBefore =
            now + (soon ? settings.backoff().millis(groupFailures) : settings.slowProbe());
        change(soon ? CommitState.RETRYING : CommitState.FAILING, error + ": " + text);
      }
    }
  }

  /** Whether the members that block the group should be named; asked once per blocking. */
  boolean takeMembersWanted() {
    boolean wanted = membersWanted;
    membersWanted = false;
    return wanted;
  }

  void members(List<String> members) {
    change(
        CommitState.BLOCKED_BY_MEMBERS,
        "the group has live members "
            + members
            + "; while they are there Kafka accepts commits only from them. Stop them or use"
            + " another group id");
  }

  /** Topics that may be gone; asked for once. */
  Set<String> takeSuspectTopics() {
    Set<String> suspects = suspectTopics;
    if (!suspects.isEmpty()) {
      suspectTopics = new TreeSet<>();
    }
    return suspects;
  }

  /** Leaves the topics' partitions alone until a new position of them is submitted. */
  void gone(Collection<String> topics) {
    entries.forEach(
        (partition, entry) -> {
          if (topics.contains(partition.topic())) {
            entry.notBefore = CommitEntry.PARKED;
          }
        });
    if (!topics.isEmpty()) {
      LOG.warn(
          "Topics {} do not exist any more; group {} gets no commits for them",
          topics,
          settings.groupId());
    }
  }

  /** Partitions to compare with the group now; empty if it is not time. */
  List<TopicPartition> verifications(long now) {
    if (now < verifyAt || now < groupNotBefore) {
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
          long offset = committed == null ? -1 : committed.offset();
          if (offset < entry.inGroup.offset()) {
            back.put(partition.toString(), entry.inGroup + " to " + offset);
            status.steppedBack();
            entry.inGroup = null;
            entry.wantedSince = now;
            entry.foreign =
                committed == null
                    ? null
                    : CommitMetadata.foreign(committed.metadata(), committed.offset());
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
    return next == Long.MAX_VALUE ? next : Math.max(next, groupNotBefore);
  }

  void closed() {
    change(CommitState.CLOSED, "");
  }

  private void change(CommitState to, String reason) {
    CommitState from = status.state();
    boolean isNews = from != to;
    status.state(to, reason);
    if (!isNews) {
      return;
    }
    switch (to) {
      case COMMITTING -> LOG.info("Commits to group {} succeed", settings.groupId());
      case CLOSED -> LOG.debug("Commits to group {} end", settings.groupId());
      default ->
          LOG.warn("Commits to group {} do not succeed: {}: {}", settings.groupId(), to, reason);
    }
    try {
      listener.stateChanged(from, to, reason);
    } catch (RuntimeException e) {
      LOG.warn("The commit listener failed", e);
    }
  }

  private void tell(Map<TopicPartition, Position> accepted) {
    try {
      listener.committed(accepted);
    } catch (RuntimeException e) {
      LOG.warn("The commit listener failed", e);
    }
  }
}
