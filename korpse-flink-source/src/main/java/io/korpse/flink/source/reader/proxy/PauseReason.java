package io.korpse.flink.source.reader.proxy;

/**
 * Why a split is not fetched. A split is paused while it has at least one reason, so that taking
 * one away never resumes past another.
 */
public enum PauseReason {
  /** The split's own buffer reached its high watermark. */
  SPLIT_FULL(0),
  /** The reader's budget is short and the split is not among those that may still fetch. */
  READER_FULL(1),
  /** Flink's watermark alignment holds the split back. */
  ALIGNMENT(2),
  /**
   * Whether the broker's log is the one that the offset belongs to, or where a damaged batch ends,
   * is being found out.
   */
  OFFSET_CHECK(3);

  private final int index;

  PauseReason(int index) {
    this.index = index;
  }

  /** The place of this reason in arrays by reason. */
  int index() {
    return index;
  }

  int bit() {
    return 1 << index;
  }
}
