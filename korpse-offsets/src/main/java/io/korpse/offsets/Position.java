package io.korpse.offsets;

import java.io.Serializable;
import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/**
 * The next offset to read of one partition, past control records and gaps, with the leader epoch of
 * what was read before it ({@link #NO_EPOCH} when not known).
 *
 * <p>Immutable. The epoch is what lets a broker notice that the log was truncated below the
 * position (KIP-320).
 */
public record Position(long offset, int leaderEpoch) implements Serializable {

  /** The leader epoch is not known. */
  public static final int NO_EPOCH = -1;

  /** Rejects a negative offset: symbolic positions are never stored. */
  public Position {
    if (offset < 0) {
      throw new IllegalArgumentException("A position is an offset of at least 0, not " + offset);
    }
  }

  /** A position without a leader epoch. */
  public static Position of(long offset) {
    return new Position(offset, NO_EPOCH);
  }

  /** A position with the epoch that the consumer or broker gave. */
  public static Position of(long offset, Optional<Integer> leaderEpoch) {
    return new Position(offset, leaderEpoch.orElse(NO_EPOCH));
  }

  /** The position that Kafka's type holds. */
  public static Position of(OffsetAndMetadata committed) {
    return of(committed.offset(), committed.leaderEpoch());
  }

  /** The epoch in Kafka's form. */
  public Optional<Integer> epoch() {
    return leaderEpoch == NO_EPOCH ? Optional.empty() : Optional.of(leaderEpoch);
  }

  @Override
  public String toString() {
    return leaderEpoch == NO_EPOCH ? Long.toString(offset) : offset + "@" + leaderEpoch;
  }
}
