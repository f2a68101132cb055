package io.korpse.flink.source.reader.proxy;

/** Told on the task thread that all records of a split before an offset have been emitted. */
@FunctionalInterface
public interface PositionListener {

  /**
   * The split's position is now {@code offset}, past control records and gaps.
   *
   * @param leaderEpoch epoch of what lies before the offset, {@link
   *     io.korpse.offsets.Position#NO_EPOCH} when unknown
   */
  void moveTo(long offset, int leaderEpoch);
}
