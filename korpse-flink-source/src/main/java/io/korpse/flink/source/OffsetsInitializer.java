package io.korpse.flink.source;

import io.korpse.offsets.CustomOffsets;
import io.korpse.offsets.OffsetRule;
import java.io.Serializable;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;

/**
 * Where partitions start, or where they stop. The enumerator turns it into one number per
 * partition, once; a checkpoint holds only numbers. As a stop, the offset is the first that is not
 * read.
 *
 * <p>Immutable. The factories have the names and the meaning of those of Flink's own Kafka
 * connector; {@link #duration} and {@link #custom} are Korpse's.
 */
public final class OffsetsInitializer implements Serializable {

  private static final long serialVersionUID = 1L;

  private final OffsetRule rule;
  private final boolean groupOptional;

  private OffsetsInitializer(OffsetRule rule, boolean groupOptional) {
    this.rule = Objects.requireNonNull(rule);
    this.groupOptional = groupOptional;
  }

  /** The start of the log. */
  public static OffsetsInitializer earliest() {
    return of(OffsetRule.earliest());
  }

  /**
   * The end of the log when it is looked up: under {@code read_committed} the end of what is
   * stable, so that no open transaction is waited for.
   */
  public static OffsetsInitializer latest() {
    return of(OffsetRule.latest());
  }

  /**
   * The positions of the consumer group. A partition without one fails the job with its name. Needs
   * a group id.
   */
  public static OffsetsInitializer committedOffsets() {
    return of(OffsetRule.committed());
  }

  /**
   * The positions of the consumer group, and for partitions without one the end that {@code
   * strategy} names ({@code NONE} fails). Needs a group id.
   */
  @SuppressWarnings("deprecation")
  public static OffsetsInitializer committedOffsets(OffsetResetStrategy strategy) {
    return of(committedElse(strategy));
  }

  /** The positions of the consumer group, and for partitions without one {@code fallback}. */
  public static OffsetsInitializer committedOffsets(OffsetsInitializer fallback) {
    return of(OffsetRule.committed(fallback.rule));
  }

  /**
   * The first record whose timestamp is at least this; the end of the log if there is none.
   *
   * @param timestamp milliseconds since 1970
   * @throws IllegalArgumentException if it is negative
   */
  public static OffsetsInitializer timestamp(long timestamp) {
    return of(OffsetRule.timestamp(timestamp));
  }

  /**
   * The first record whose timestamp is at most this long before now, when it is looked up; the end
   * of the log if there is none.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public static OffsetsInitializer duration(Duration beforeNow) {
    return of(OffsetRule.before(beforeNow));
  }

  /**
   * The given offsets. Partitions that are not in the map: the group's position if there is a group
   * and it has one, else the start of the log.
   *
   * @throws IllegalArgumentException if an offset is negative
   */
  @SuppressWarnings("deprecation")
  public static OffsetsInitializer offsets(Map<TopicPartition, Long> offsets) {
    return offsets(offsets, OffsetResetStrategy.EARLIEST);
  }

  /**
   * The given offsets. Partitions that are not in the map: the group's position if there is a group
   * and it has one, else the end that {@code strategy} names ({@code NONE} fails the job).
   *
   * @throws IllegalArgumentException if an offset is negative
   */
  @SuppressWarnings("deprecation")
  public static OffsetsInitializer offsets(
      Map<TopicPartition, Long> offsets, OffsetResetStrategy strategy) {
    return new OffsetsInitializer(OffsetRule.explicit(offsets, committedElse(strategy)), true);
  }

  /** What the user's code says. */
  public static OffsetsInitializer custom(CustomOffsets offsets) {
    return of(OffsetRule.custom(offsets));
  }

  /** A rule of the offsets module. */
  public static OffsetsInitializer of(OffsetRule rule) {
    return new OffsetsInitializer(rule, false);
  }

  /**
   * The rule to resolve.
   *
   * @param hasGroup whether there is a consumer group to ask
   * @throws IllegalArgumentException if a group is needed and there is none
   */
  OffsetRule rule(boolean hasGroup) {
    if (hasGroup || !rule.needsGroup()) {
      return rule;
    }
    if (groupOptional
        && rule instanceof OffsetRule.Explicit explicit
        && explicit.fallback() instanceof OffsetRule.Committed committed) {
      if (committed.fallback() == null) {
        throw new IllegalArgumentException(
            "offsets(map, NONE) asks the consumer group for partitions that are not in the map;"
                + " call setGroupId, or choose EARLIEST or LATEST");
      }
      return OffsetRule.explicit(explicit.offsets(), committed.fallback());
    }
    throw new IllegalArgumentException(
        "The offsets '" + rule + "' come from a consumer group; call setGroupId");
  }

  @SuppressWarnings("deprecation") // the type is part of the API that users come from
  private static OffsetRule committedElse(OffsetResetStrategy strategy) {
    return switch (strategy) {
      case EARLIEST -> OffsetRule.committed(OffsetRule.earliest());
      case LATEST -> OffsetRule.committed(OffsetRule.latest());
      case NONE -> OffsetRule.committed();
    };
  }

  @Override
  public String toString() {
    return rule.toString();
  }
}
