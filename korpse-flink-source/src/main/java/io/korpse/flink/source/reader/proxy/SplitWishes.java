package io.korpse.flink.source.reader.proxy;

import java.util.Collection;

/** What the reader wants of its splits, wherever they are read. Task thread. */
public interface SplitWishes {

  /** Watermark alignment holds these splits back, and no longer those. */
  void pauseOrResume(Collection<String> pause, Collection<String> resume);

  /** The split is at its end whatever the broker still holds; reported as finished once. */
  void finish(String splitId);

  /** The split has an end now, or an earlier one. */
  void stopAt(String splitId, long stopOffset);

  /** The split left the reader: nothing is wanted of it, or of one that follows. */
  void forget(String splitId);
}
