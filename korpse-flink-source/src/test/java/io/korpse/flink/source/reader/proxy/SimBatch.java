package io.korpse.flink.source.reader.proxy;

import java.util.List;

/**
 * One batch of a simulated log.
 *
 * @param baseOffset first offset that the batch covers
 * @param lastOffset last offset that the batch covers, even if compaction removed its record
 * @param records what is left of the records, by offset
 * @param wireBytes size on the wire: less than the records' size when they compress well
 * @param leaderEpoch epoch of the leader that appended it
 * @param kind what a consumer does with it
 */
record SimBatch(
    long baseOffset,
    long lastOffset,
    List<SimRecord> records,
    int wireBytes,
    int leaderEpoch,
    Kind kind) {

  /** What a batch holds. */
  enum Kind {
    /** Records. */
    DATA,
    /** Records of a transaction that was aborted: read_committed passes over them. */
    ABORTED,
    /** The marker at the end of a transaction: nobody sees it, but it has an offset. */
    CONTROL
  }

  long nextOffset() {
    return lastOffset + 1;
  }
}
