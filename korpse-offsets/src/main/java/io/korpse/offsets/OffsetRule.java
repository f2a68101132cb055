package io.korpse.offsets;

import java.io.Serializable;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.TopicPartition;

/**
 * Where a partition starts (or stops), before it is a number.
 *
 * <p>Immutable and serializable. {@link OffsetResolver} turns a rule into an offset per partition;
 * a rule itself is never part of a checkpoint.
 */
public sealed interface OffsetRule extends Serializable {

  /** The log start. */
  static OffsetRule earliest() {
    return new Earliest();
  }

  /** The log end: the last stable offset when reading committed, else the high watermark. */
  static OffsetRule latest() {
    return new Latest();
  }

  /** What the group committed; a partition without a commit is an error. */
  static OffsetRule committed() {
    return new Committed(null);
  }

  /** What the group committed, else {@code fallback}. */
  static OffsetRule committed(OffsetRule fallback) {
    return new Committed(Objects.requireNonNull(fallback, "fallback"));
  }

  /**
   * The first record with this Kafka timestamp or a later one; the log end when there is none.
   *
   * @param epochMillis milliseconds since 1970-01-01T00:00Z, at least 0
   */
  static OffsetRule timestamp(long epochMillis) {
    return new AtTimestamp(epochMillis);
  }

  /** The first record that is at most this old when the rule is resolved; else the log end. */
  static OffsetRule before(Duration duration) {
    return new Before(duration);
  }

  /** The given offsets; {@code fallback} for partitions that are not in the map. */
  static OffsetRule explicit(Map<TopicPartition, Long> offsets, OffsetRule fallback) {
    return new Explicit(offsets, Objects.requireNonNull(fallback, "fallback"));
  }

  /** Offsets that the user's code chooses; a partition that it leaves out is an error. */
  static OffsetRule custom(CustomOffsets offsets) {
    return new Custom(offsets);
  }

  /** Whether a group id is needed to resolve this rule. */
  boolean needsGroup();

  /** See {@link #earliest()}. */
  record Earliest() implements OffsetRule {
    @Override
    public boolean needsGroup() {
      return false;
    }

    @Override
    public String toString() {
      return "earliest";
    }
  }

  /** See {@link #latest()}. */
  record Latest() implements OffsetRule {
    @Override
    public boolean needsGroup() {
      return false;
    }

    @Override
    public String toString() {
      return "latest";
    }
  }

  /**
   * See {@link #committed(OffsetRule)}.
   *
   * @param fallback null: fail
   */
  record Committed(OffsetRule fallback) implements OffsetRule {
    @Override
    public boolean needsGroup() {
      return true;
    }

    @Override
    public String toString() {
      return fallback == null ? "committed" : "committed, else " + fallback;
    }
  }

  /** See {@link #timestamp(long)}. */
  record AtTimestamp(long epochMillis) implements OffsetRule {
    /** Rejects a negative timestamp: Kafka gives those another meaning. */
    public AtTimestamp {
      if (epochMillis < 0) {
        throw new IllegalArgumentException(
            "A start timestamp is in milliseconds since 1970 and at least 0, not " + epochMillis);
      }
    }

    @Override
    public boolean needsGroup() {
      return false;
    }

    @Override
    public String toString() {
      return "timestamp " + epochMillis;
    }
  }

  /** See {@link #before(Duration)}. */
  record Before(Duration duration) implements OffsetRule {
    /** Rejects a negative duration: there is nothing to read in the future. */
    public Before {
      if (duration.isNegative()) {
        throw new IllegalArgumentException(
            "A start so long before now needs a duration of at least 0, not " + duration);
      }
    }

    @Override
    public boolean needsGroup() {
      return false;
    }

    @Override
    public String toString() {
      return duration + " before now";
    }
  }

  /** See {@link #explicit(Map, OffsetRule)}. */
  record Explicit(Map<TopicPartition, Long> offsets, OffsetRule fallback) implements OffsetRule {
    /** Copies the map and rejects negative offsets: symbolic ones have rules of their own. */
    public Explicit {
      offsets = Map.copyOf(offsets);
      offsets.forEach(
          (partition, offset) -> {
            if (offset < 0) {
              throw new IllegalArgumentException(
                  "The explicit offset of "
                      + partition
                      + " is "
                      + offset
                      + "; it must be at least 0 (use earliest() or latest() as the fallback)");
            }
          });
    }

    @Override
    public boolean needsGroup() {
      return fallback.needsGroup();
    }

    @Override
    public String toString() {
      return "explicit offsets of " + offsets.size() + " partitions, else " + fallback;
    }
  }

  /** See {@link #custom(CustomOffsets)}. */
  record Custom(CustomOffsets offsets) implements OffsetRule {
    /** Rejects null. */
    public Custom {
      Objects.requireNonNull(offsets, "offsets");
    }

    @Override
    public boolean needsGroup() {
      return offsets.needsGroup();
    }

    @Override
    public String toString() {
      return "custom offsets of " + offsets.getClass().getName();
    }
  }
}
