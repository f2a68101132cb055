package io.korpse.flink.source.reader.proxy;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What was read of one split and what is held of it. Written by the fetcher thread, read by any.
 *
 * <p>Belongs to the reader: it goes on when the proxy is built anew.
 */
public final class SplitStats {

  private static final int RECORDS = 0;
  private static final int BYTES = 1;
  private static final int BUFFERED_RECORDS = 2;
  private static final int BUFFERED_BYTES = 3;

  /** Side by side: with thousands of splits each is one more miss of the cache for a run. */
  private final AtomicLongArray counts = new AtomicLongArray(4);

  private volatile PauseLedger.Entry pause;

  void attach(PauseLedger.Entry entry) {
    pause = entry;
    buffered(0, 0);
  }

  void read(int newRecords, long newBytes) {
    counts.setOpaque(RECORDS, counts.getPlain(RECORDS) + newRecords);
    counts.setOpaque(BYTES, counts.getPlain(BYTES) + newBytes);
  }

  void buffered(int nowRecords, long nowBytes) {
    counts.setOpaque(BUFFERED_RECORDS, nowRecords);
    counts.setOpaque(BUFFERED_BYTES, nowBytes);
  }

  /** Records read from Kafka and buffered since the reader started. */
  public long records() {
    return counts.get(RECORDS);
  }

  /** Their bytes of heap. */
  public long bytes() {
    return counts.get(BYTES);
  }

  /** Records that are buffered now, without those handed over. */
  public long bufferedRecords() {
    return counts.get(BUFFERED_RECORDS);
  }

  /** Bytes that are buffered now, without those handed over. */
  public long bufferedBytes() {
    return counts.get(BUFFERED_BYTES);
  }

  /** 1 while the split is paused, for whatever reason, else 0. */
  public long paused() {
    PauseLedger.Entry entry = pause;
    return entry != null && entry.paused() ? 1 : 0;
  }

  /**
   * Why the split is paused, as a sum: 1 its buffer is full, 2 the reader's budget is short, 4
   * watermark alignment, 8 its offset is being checked. 0 while it is not paused.
   */
  public long pauseReasons() {
    PauseLedger.Entry entry = pause;
    return entry == null ? 0 : entry.reasons();
  }
}
