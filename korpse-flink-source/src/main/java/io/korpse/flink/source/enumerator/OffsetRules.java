package io.korpse.flink.source.enumerator;

import io.korpse.flink.source.split.PeerOffsets;
import io.korpse.offsets.OffsetRule;
import java.io.Serializable;
import java.util.Objects;
import javax.annotation.Nullable;

/**
 * Where partitions start and stop.
 *
 * @param initial where the partitions of the first discovery start
 * @param later where partitions start that appear after it
 * @param stop where all of them stop; null: nowhere
 */
public record OffsetRules(OffsetRule initial, OffsetRule later, @Nullable OffsetRule stop)
    implements Serializable {

  /** Rejects null for the starts. */
  public OffsetRules {
    Objects.requireNonNull(initial);
    Objects.requireNonNull(later);
  }

  /** The rule that a start marker of the peer stands for. */
  OffsetRule startOf(long marker) {
    if (marker == PeerOffsets.LATEST) {
      return OffsetRule.latest();
    } else if (marker == PeerOffsets.EARLIEST) {
      return OffsetRule.earliest();
    } else if (marker == PeerOffsets.COMMITTED) {
      // The peer's fallback was part of its start policy; the same policy is configured here.
      return initial instanceof OffsetRule.Committed ? initial : OffsetRule.committed();
    }
    return initial;
  }

  /** The rule that a stop marker of the peer stands for; null for none. */
  @Nullable
  OffsetRule stopOf(long marker) {
    if (marker == PeerOffsets.LATEST) {
      return OffsetRule.latest();
    } else if (marker == PeerOffsets.COMMITTED) {
      return OffsetRule.committed();
    }
    return stop;
  }
}
