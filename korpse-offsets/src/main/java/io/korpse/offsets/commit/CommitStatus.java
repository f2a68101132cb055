package io.korpse.offsets.commit;

import io.korpse.offsets.Position;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;

/**
 * A live view of what a committer has done. Written by the committer's thread, read by any thread.
 */
public final class CommitStatus {

  /** Nothing is waiting; see {@link #pendingAgeMillis()}. */
  static final long NOTHING_PENDING = Long.MAX_VALUE;

  private final Clock clock;
  private final Map<TopicPartition, Position> committed = new ConcurrentHashMap<>();
  private final Map<TopicPartition, String> refused = new ConcurrentHashMap<>();

  private volatile CommitState state = CommitState.IDLE;
  private volatile String reason = "";
  private volatile long succeeded;
  private volatile long failed;
  private volatile int consecutiveFailures;
  private volatile long lastLatencyMillis = -1;
  private volatile long lastSuccessMillis = -1;
  private volatile long metadataTrimmed;
  private volatile long stepsBack;
  private volatile long staleIgnored;
  private volatile long pendingSince = NOTHING_PENDING;

  CommitStatus(Clock clock) {
    this.clock = clock;
  }

  /** How commits are doing. */
  public CommitState state() {
    return state;
  }

  /** What led to the state, in words; empty when all is well. */
  public String reason() {
    return reason;
  }

  /** Requests whose partitions were all accepted. */
  public long succeeded() {
    return succeeded;
  }

  /** Requests that failed or in which a partition was refused. */
  public long failed() {
    return failed;
  }

  /** Failed requests since the last that succeeded. */
  public int consecutiveFailures() {
    return consecutiveFailures;
  }

  /** Milliseconds from sending the last answered request to its answer; -1 before the first. */
  public long lastLatencyMillis() {
    return lastLatencyMillis;
  }

  /** When a request last succeeded, in milliseconds since 1970; -1 before the first. */
  public long lastSuccessMillis() {
    return lastSuccessMillis;
  }

  /** How often metadata was shortened because the broker found it too long. */
  public long metadataTrimmed() {
    return metadataTrimmed;
  }

  /**
   * How often the group was found behind what this committer had committed, as a request of an
   * attempt that was frozen leaves it; each was corrected.
   */
  public long stepsBack() {
    return stepsBack;
  }

  /** Submitted positions that were not sent because they were older than one before. */
  public long staleIgnored() {
    return staleIgnored;
  }

  /** What this committer has committed for a partition; empty before the first time. */
  public Optional<Position> committed(TopicPartition partition) {
    return Optional.ofNullable(committed.get(partition));
  }

  /** Partitions that are refused while others are committed, with the reason. */
  public Map<TopicPartition, String> refused() {
    return Map.copyOf(refused);
  }

  /** Age in milliseconds of the oldest submitted position that is not in the group; 0 if none. */
  public long pendingAgeMillis() {
    long since = pendingSince;
    return since == NOTHING_PENDING ? 0 : Math.max(0, clock.millis() - since);
  }

  // Written by one thread, hence no atomic increments.

  void state(CommitState newState, String newReason) {
    reason = newReason;
    state = newState;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate")
  void requestSucceeded(long now) {
    succeeded++;
    consecutiveFailures = 0;
    lastSuccessMillis = now;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate")
  void requestFailed() {
    failed++;
    consecutiveFailures++;
  }

  void latency(long millis) {
    lastLatencyMillis = millis;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate")
  void trimmed() {
    metadataTrimmed++;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate")
  void steppedBack() {
    stepsBack++;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate")
  void ignoredStale() {
    staleIgnored++;
  }

  void pendingSince(long millis) {
    pendingSince = millis;
  }

  void committed(TopicPartition partition, Position position) {
    committed.put(partition, position);
  }

  void refused(TopicPartition partition, String why) {
    refused.put(partition, why);
  }

  boolean isRefused(TopicPartition partition) {
    return !refused.isEmpty() && refused.containsKey(partition);
  }

  void accepted(TopicPartition partition) {
    refused.remove(partition);
  }

  void forget(TopicPartition partition) {
    committed.remove(partition);
    refused.remove(partition);
  }
}
