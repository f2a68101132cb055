package io.korpse.offsets.lag;

import java.util.Collection;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The lags of several partitions in one number each: of a reader, or of what it reads of a topic. A
 * live view, for any thread. Unknown in one partition is unknown in all; how many partitions that
 * is, is told apart.
 */
public final class LagTotal {

  private final Supplier<Collection<PartitionLag>> partitions;
  private final LongSupplier lostBefore;

  /**
   * A view.
   *
   * @param partitions gives what is watched now; called by any thread
   * @param lostBefore what partitions had lost that are not among them any more
   */
  LagTotal(Supplier<Collection<PartitionLag>> partitions, LongSupplier lostBefore) {
    this.partitions = partitions;
    this.lostBefore = lostBefore;
  }

  /** The sum of {@link PartitionLag#recordsLag()}. */
  public LagValue recordsLag() {
    return sum(PartitionLag::recordsLag);
  }

  /** The sum of {@link PartitionLag#recordsLagToHighWatermark()}. */
  public LagValue recordsLagToHighWatermark() {
    return sum(PartitionLag::recordsLagToHighWatermark);
  }

  /** The sum of {@link PartitionLag#committedLag()}. */
  public LagValue committedLag() {
    return sum(PartitionLag::committedLag);
  }

  /** The largest {@link PartitionLag#timeLagMillis()}. */
  public LagValue timeLagMillis() {
    LagValue largest = LagValue.of(0);
    for (PartitionLag lag : partitions.get()) {
      largest = largest.max(lag.timeLagMillis());
    }
    return largest;
  }

  /**
   * The sum of {@link PartitionLag#recordsLost()}, and what partitions had given up that are not
   * watched any more.
   */
  public long recordsLost() {
    long lost = lostBefore.getAsLong();
    for (PartitionLag lag : partitions.get()) {
      lost += lag.recordsLost();
    }
    return lost;
  }

  /** The partitions whose {@link PartitionLag#recordsLag()} is not known. */
  public int unknownRecordsLags() {
    return unknown(PartitionLag::recordsLag);
  }

  /** The partitions whose {@link PartitionLag#committedLag()} is not known. */
  public int unknownCommittedLags() {
    return unknown(PartitionLag::committedLag);
  }

  /** The partitions whose {@link PartitionLag#timeLagMillis()} is not known. */
  public int unknownTimeLags() {
    return unknown(PartitionLag::timeLagMillis);
  }

  /** The worst status; {@link LagStatus#UNKNOWN} if there are no partitions. */
  public LagStatus status() {
    LagStatus worst = null;
    for (PartitionLag lag : partitions.get()) {
      LagStatus status = lag.status();
      worst = worst == null ? status : worst.worse(status);
    }
    return worst == null ? LagStatus.UNKNOWN : worst;
  }

  /** The largest {@link PartitionLag#uncommittedAgeMillis()}; -1 if none is known. */
  public long uncommittedAgeMillis() {
    long oldest = PartitionLag.NONE;
    for (PartitionLag lag : partitions.get()) {
      oldest = Math.max(oldest, lag.uncommittedAgeMillis());
    }
    return oldest;
  }

  private LagValue sum(Function<PartitionLag, LagValue> value) {
    LagValue sum = LagValue.of(0);
    for (PartitionLag lag : partitions.get()) {
      sum = sum.plus(value.apply(lag));
    }
    return sum;
  }

  private int unknown(Function<PartitionLag, LagValue> value) {
    int unknown = 0;
    for (PartitionLag lag : partitions.get()) {
      if (!value.apply(lag).isKnown()) {
        unknown++;
      }
    }
    return unknown;
  }
}
