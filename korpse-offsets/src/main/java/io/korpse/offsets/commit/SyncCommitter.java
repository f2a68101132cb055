package io.korpse.offsets.commit;

import io.korpse.offsets.Position;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;

/**
 * Commits positions and waits until they are in the group, by the same rules as {@link
 * OffsetCommitter}. Blocking, for one caller at a time; does not own the Admin client.
 */
public final class SyncCommitter {

  private static final Duration LONGEST_REQUEST = Duration.ofSeconds(10);

  private final Clock clock;
  private final CommitStatus status;
  private final CommitPlan plan;
  private final CommitStep step;

  /**
   * A committer for one group.
   *
   * @param identity who commits, for the metadata
   */
  public SyncCommitter(
      Admin admin, String groupId, String identity, Duration timeout, Clock clock) {
    this(new AdminGroupClient(admin, groupId), groupId, identity, timeout, clock);
  }

  SyncCommitter(
      GroupClient client, String groupId, String identity, Duration timeout, Clock clock) {
    this.clock = clock;
    this.status = new CommitStatus(clock);
    Duration request = timeout.compareTo(LONGEST_REQUEST) < 0 ? timeout : LONGEST_REQUEST;
    CommitSettings settings =
        new CommitSettings(
            groupId,
            identity,
            request.toMillis(),
            Long.MAX_VALUE / 2,
            Long.MAX_VALUE / 2,
            Long.MAX_VALUE / 4,
            new Backoff(
                Duration.ofMillis(100),
                Duration.ofSeconds(2),
                () -> ThreadLocalRandom.current().nextDouble()));
    this.plan = new CommitPlan(settings, status, new CommitListener() {}, clock.millis());
    this.step = new CommitStep(() -> client, settings, plan, status, clock);
  }

  /**
   * Commits within the time limit; a position may be lower than one before.
   *
   * @return the partitions that are not in the group, with the reason; empty if all are
   */
  public Map<TopicPartition, String> commit(
      Map<TopicPartition, Position> positions, Duration timeout) {
    Set<TopicPartition> left;
    Map<TopicPartition, String> refused;
    long deadline = clock.millis() + timeout.toMillis();
    // What an earlier call has put into the group may have been changed by others since.
    plan.remove(positions.keySet());
    plan.submit(-1, positions, clock.millis());
    plan.hurry(clock.millis());
    try {
      step.run();
      while (isWorthWaiting(deadline)) {
        TimeUnit.MILLISECONDS.sleep(Math.max(0, plan.nextDue() - clock.millis()));
        step.run();
      }
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } finally {
      refused = status.refused();
      left = plan.removePending();
    }
    Map<TopicPartition, String> reasons = new HashMap<>();
    for (TopicPartition partition : left) {
      reasons.put(partition, refused.getOrDefault(partition, status.reason()));
    }
    return reasons;
  }

  // What only a human can repair has its next try at the end of time.
  private boolean isWorthWaiting(long deadline) {
    return !plan.isSettled() && plan.nextDue() <= deadline;
  }
}
