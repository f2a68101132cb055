package io.korpse.flink.source.split;

import io.korpse.offsets.Position;
import java.util.Objects;
import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * One partition of one topic, with the next offset to read and the offset to stop before. Both are
 * numbers, with one exception: a split that comes from a savepoint of Flink's own Kafka connector
 * may hold that connector's markers ({@link #unresolved()}) until the enumerator has answered.
 *
 * <p>Immutable; two splits are equal when all their fields are.
 */
public final class KorpseSplit implements SourceSplit {

  /** The value of {@link #stopOffset()} of a split that has no end. */
  public static final long NO_STOP_OFFSET = Long.MAX_VALUE;

  private final TopicPartition partition;
  private final String splitId;
  @Nullable private final Position position;
  private final long stopOffset;
  private final Uuid topicId;
  private final boolean pristine;
  private final boolean stopSeen;
  @Nullable private final PeerOffsets unresolved;

  /**
   * Creates a split.
   *
   * @param partition topic and partition number
   * @param position next offset to read
   * @param stopOffset first offset that is not read, or {@link #NO_STOP_OFFSET}
   * @param topicId id of the topic, {@link Uuid#ZERO_UUID} when the broker gives none
   * @param pristine whether nothing was emitted yet and the position came from the start of the
   *     log, a timestamp or a duration, so that it may follow the log start when retention passes
   *     it
   */
  public KorpseSplit(
      TopicPartition partition,
      Position position,
      long stopOffset,
      Uuid topicId,
      boolean pristine) {
    this(partition, Objects.requireNonNull(position), stopOffset, topicId, pristine, false, null);
  }

  private KorpseSplit(
      TopicPartition partition,
      @Nullable Position position,
      long stopOffset,
      Uuid topicId,
      boolean pristine,
      boolean stopSeen,
      @Nullable PeerOffsets unresolved) {
    this.partition = Objects.requireNonNull(partition);
    this.splitId = splitId(partition);
    this.position = position;
    this.stopOffset = stopOffset;
    this.topicId = Objects.requireNonNull(topicId);
    this.pristine = pristine;
    this.stopSeen = stopSeen;
    this.unresolved = unresolved;
  }

  /** A split as Flink's own connector stored it, which may or may not hold markers. */
  public static KorpseSplit ofPeer(TopicPartition partition, PeerOffsets offsets) {
    if (!offsets.resolved()) {
      return new KorpseSplit(
          partition, null, NO_STOP_OFFSET, Uuid.ZERO_UUID, false, false, offsets);
    }
    return new KorpseSplit(
        partition,
        Position.of(offsets.start()),
        offsets.stop() == PeerOffsets.NO_STOP ? NO_STOP_OFFSET : offsets.stop(),
        Uuid.ZERO_UUID,
        false);
  }

  /** The same with the id of the topic. */
  public KorpseSplit withTopicId(Uuid id) {
    return new KorpseSplit(partition, position, stopOffset, id, pristine, stopSeen, unresolved);
  }

  /** The same, with whether the log was seen to reach the stop. */
  public KorpseSplit withStopSeen(boolean seen) {
    return new KorpseSplit(partition, position, stopOffset, topicId, pristine, seen, unresolved);
  }

  /** The id of the split of a partition: {@code topic-partition}, as the peer writes it. */
  public static String splitId(TopicPartition partition) {
    return partition.topic() + "-" + partition.partition();
  }

  @Override
  public String splitId() {
    return splitId;
  }

  /** Topic and partition number. */
  public TopicPartition partition() {
    return partition;
  }

  /**
   * Next offset to read.
   *
   * @throws IllegalStateException if the split is {@link #unresolved()}
   */
  public Position position() {
    if (position == null) {
      throw new IllegalStateException("The offsets of " + splitId + " are not resolved yet");
    }
    return position;
  }

  /** The markers of a split that cannot be read before the enumerator has resolved them. */
  public Optional<PeerOffsets> unresolved() {
    return Optional.ofNullable(unresolved);
  }

  /** First offset that is not read, or {@link #NO_STOP_OFFSET}. */
  public long stopOffset() {
    return stopOffset;
  }

  /** Id of the topic, {@link Uuid#ZERO_UUID} when unknown. */
  public Uuid topicId() {
    return topicId;
  }

  /** Whether the position may follow the log start: see the constructor. */
  public boolean pristine() {
    return pristine;
  }

  /**
   * Whether the log was seen to reach the stop. If it is shorter now, it was cut; else the stop may
   * lie beyond the end on purpose.
   */
  public boolean stopSeen() {
    return stopSeen;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KorpseSplit that
        && partition.equals(that.partition)
        && Objects.equals(position, that.position)
        && stopOffset == that.stopOffset
        && topicId.equals(that.topicId)
        && pristine == that.pristine
        && stopSeen == that.stopSeen
        && Objects.equals(unresolved, that.unresolved);
  }

  @Override
  public int hashCode() {
    return Objects.hash(partition, position, stopOffset, topicId, pristine, stopSeen, unresolved);
  }

  /** Short, since Flink logs every split at INFO. */
  @Override
  public String toString() {
    if (unresolved != null) {
      return splitId + ":" + unresolved.start();
    }
    return splitId + ":" + position + (stopOffset == NO_STOP_OFFSET ? "" : ".." + stopOffset);
  }
}
