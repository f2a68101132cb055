package io.korpse.offsets.commit;

import io.korpse.offsets.ErrorTable;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the group as a whole takes commits: when to try next, how much at a time, and the state that
 * is shown, logged once per change. Confined to the committer's thread.
 */
final class GroupHealth {

  private static final Logger LOG = LoggerFactory.getLogger(GroupHealth.class);
  private static final int LARGEST_BATCH = 100_000;

  private final CommitSettings settings;
  private final CommitStatus status;
  private final CommitListener listener;

  private long notBefore;
  private int failures;
  private int batchLimit = LARGEST_BATCH;
  private boolean membersWanted;

  GroupHealth(CommitSettings settings, CommitStatus status, CommitListener listener) {
    this.settings = settings;
    this.status = status;
    this.listener = listener;
  }

  /** When to try next, in milliseconds since 1970. */
  long notBefore() {
    return notBefore;
  }

  /** How many partitions a request may hold. */
  int batchLimit() {
    return batchLimit;
  }

  /** Makes a retry that waits due now. */
  void hurry(long now) {
    notBefore = Math.min(notBefore, now);
  }

  /**
   * The group answered.
   *
   * @param allRefused the partitions with the reason, if each of the request was refused; else
   *     empty
   */
  void answered(Map<TopicPartition, String> allRefused) {
    failures = 0;
    notBefore = 0;
    batchLimit = Math.min(LARGEST_BATCH, batchLimit * 2);
    if (allRefused.isEmpty()) {
      change(CommitState.COMMITTING, "");
    } else {
      change(CommitState.FAILING, "every partition is refused: " + allRefused);
    }
  }

  /** The group refused a request of so many partitions as a whole. */
  void refused(Errors error, String text, int partitions, long now) {
    switch (ErrorTable.action(error)) {
      case BLOCKED_BY_MEMBERS -> {
        membersWanted |= status.state() != CommitState.BLOCKED_BY_MEMBERS;
        waitLong(now);
        change(CommitState.BLOCKED_BY_MEMBERS, error + ": the group has live members");
      }
      case SUSPEND_GROUP -> {
        waitLong(now);
        change(CommitState.SUSPENDED, error + ": " + remedy(error));
      }
      case RETRY, REDISCOVER, CLIENT -> retry(error + ": " + text, now);
      case HALVE_BATCH -> {
        batchLimit = Math.max(1, partitions / 2);
        retry(error + ": " + text, now);
      }
      default -> {
        waitLong(now);
        change(CommitState.FAILING, error + ": " + text);
      }
    }
  }

  private static String remedy(Errors error) {
    return switch (error) {
      case GROUP_AUTHORIZATION_FAILED -> "the client needs the right READ on the group";
      case INVALID_GROUP_ID -> "choose another group id";
      default -> error.message();
    };
  }

  /** A request got no answer. */
  void unanswered(Throwable failure, long now) {
    Throwable cause = ErrorTable.cause(failure);
    Errors error = Errors.forException(cause);
    if (cause instanceof AuthenticationException) {
      waitLong(now);
      change(CommitState.SUSPENDED, cause + ": check the credentials and their expiry");
    } else if (error == Errors.UNKNOWN_SERVER_ERROR) {
      // No broker said that: a client that cannot be made, or that died.
      retry(cause.toString(), now);
    } else {
      refused(error, cause.toString(), LARGEST_BATCH, now);
    }
  }

  private void retry(String reason, long now) {
    failures++;
    notBefore = now + settings.backoff().millis(failures);
    change(CommitState.RETRYING, reason);
  }

  private void waitLong(long now) {
    failures++;
    notBefore = now + settings.slowProbe();
  }

  /** Whether the members that block the group should be named; asked once per blocking. */
  boolean takeMembersWanted() {
    boolean wanted = membersWanted;
    membersWanted = false;
    return wanted;
  }

  /** Learns who blocks the group; the one log line about it is written now, with their names. */
  void members(String members) {
    String reason =
        Errors.UNKNOWN_MEMBER_ID
            + ": the group has live members "
            + members
            + ", and while it has, Kafka accepts commits only from them; stop them or use another"
            + " group id";
    status.state(status.state(), reason);
    LOG.warn("Commits to group {} do not succeed: {}", settings.groupId(), reason);
  }

  void closed() {
    change(CommitState.CLOSED, "");
  }

  /** The committer has died of something that no program expects. */
  void died(Throwable cause) {
    change(CommitState.FAILING, "the committer ended: " + cause);
  }

  private void change(CommitState to, String reason) {
    CommitState from = status.state();
    status.state(to, reason);
    if (from == to) {
      return;
    }
    switch (to) {
      case COMMITTING -> LOG.info("Commits to group {} succeed", settings.groupId());
      case CLOSED -> LOG.debug("Commits to group {} end", settings.groupId());
      case BLOCKED_BY_MEMBERS -> LOG.debug("Group {} has members", settings.groupId());
      default ->
          LOG.warn("Commits to group {} do not succeed: {}: {}", settings.groupId(), to, reason);
    }
    try {
      listener.stateChanged(from, to, reason);
    } catch (RuntimeException e) {
      LOG.warn("The commit listener failed", e);
    }
  }
}
