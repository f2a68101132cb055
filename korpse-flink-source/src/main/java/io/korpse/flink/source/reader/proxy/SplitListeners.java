package io.korpse.flink.source.reader.proxy;

/** Finds who is to be told about a split. Called on the fetcher thread when the split is added. */
public interface SplitListeners {

  /** Told where the split's emitted position is. */
  PositionListener position(String splitId);

  /** Told where the split's log ends. */
  EndListener end(String splitId);

  /** Where is counted what was read of the split. */
  SplitStats stats(String splitId);
}
