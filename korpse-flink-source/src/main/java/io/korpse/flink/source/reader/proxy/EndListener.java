package io.korpse.flink.source.reader.proxy;

/** Told on the fetcher thread where the log of a split ends, as the broker said with the data. */
@FunctionalInterface
public interface EndListener {

  /** The log ends at {@code endOffset}: the last stable offset when reading committed. */
  void endsAt(long endOffset);
}
