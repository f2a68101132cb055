package io.korpse.offsets;

import io.korpse.offsets.Resolution.Resolved;
import io.korpse.offsets.Resolution.Unresolved;
import org.apache.kafka.common.TopicPartition;

/**
 * What a partition's log holds.
 *
 * @param start the log start
 * @param end the high watermark: a position of a reader of uncommitted data may be that far
 * @param readableEnd the end by the isolation level
 * @param leaderEpoch the current leader's epoch
 */
record LogBounds(long start, long end, long readableEnd, int leaderEpoch) {

  boolean isBeyondEnd(Position position) {
    return position.offset() > end;
  }

  // An epoch that no leader of this partition has had yet belongs to a topic of the same name that
  // was deleted, or to another cluster. A consumer that seeks with it stalls without an error.
  private boolean isForeign(Position position) {
    return leaderEpoch != Position.NO_EPOCH && position.leaderEpoch() > leaderEpoch;
  }

  /** The position if it is in the log, else what the policy makes of it. */
  Resolution admit(
      TopicPartition partition,
      Position position,
      Origin origin,
      String what,
      DataLossPolicy policy) {
    String loss = loss(partition, position, what);
    if (loss == null) {
      return new Resolved(partition, position, origin, "");
    }
    if (policy == DataLossPolicy.FAIL) {
      return new Unresolved(
          partition,
          false,
          loss + ". Choose another start, or set the data loss policy to EARLIEST or LATEST",
          null);
    }
    boolean logIsAnother = isForeign(position);
    boolean toStart =
        policy == DataLossPolicy.EARLIEST && (position.offset() < start || logIsAnother);
    long offset = toStart ? start : readableEnd;
    return new Resolved(
        partition,
        Position.of(offset),
        Origin.DATA_LOSS,
        loss
            + ". Going on at the log "
            + (toStart ? "start" : "end")
            + ", "
            + offset
            + skipped(position, offset));
  }

  private String loss(TopicPartition partition, Position position, String what) {
    String subject = "For " + partition + ", " + what + " " + position;
    if (isForeign(position)) {
      return subject
          + " has a later leader epoch than the partition ever had ("
          + leaderEpoch
          + "): the topic was created again or the cluster restored";
    }
    if (position.offset() < start) {
      return subject
          + " is below the log start "
          + start
          + ": "
          + (start - position.offset())
          + " records are gone";
    }
    if (isBeyondEnd(position)) {
      return subject
          + " is beyond the log end "
          + end
          + ": the log was truncated or the topic created again";
    }
    return null;
  }

  private static String skipped(Position position, long offset) {
    return position.offset() < offset
        ? " (" + (offset - position.offset()) + " offsets later)"
        : "";
  }
}
