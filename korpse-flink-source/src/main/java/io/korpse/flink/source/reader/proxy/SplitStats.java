package io.korpse.flink.source.reader.proxy;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What was read of one split and what is held of it. Written by the fetcher thread, read by any.
 *
 * <p>Belongs to the reader: it goes on when the proxy is built anew.
 */
public final class SplitStats {

  private final AtomicLong records = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong bufferedRecords = new AtomicLong();
  private final AtomicLong bufferedBytes = new AtomicLong();
  private volatile PauseLedger.Entry pause;

  void attach(PauseLedger.Entry entry) {
    pause = entry;
    buffered(0, 0);
  }

  void read(int newRecords, long newBytes) {
    records.lazySet(records.getPlain() + newRecords);
    bytes.lazySet(bytes.getPlain() + newBytes);
  }

  void buffered(int nowRecords, long nowBytes) {
    bufferedRecords.lazySet(nowRecords);
    bufferedBytes.lazySet(nowBytes);
  }

  /** Records read from Kafka and buffered since the reader started. */
  public long records() {
    return records.get();
  }

  /** Their bytes of heap. */
  public long bytes() {
    return bytes.get();
  }

  /** Records that are buffered now, without those handed over. */
  public long bufferedRecords() {
    return bufferedRecords.get();
  }

  /** Bytes that are buffered now, without those handed over. */
  public long bufferedBytes() {
    return bufferedBytes.get();
  }

  /** 1 while the split is paused, for whatever reason, else 0. */
  public long paused() {
    PauseLedger.Entry entry = pause;
    return entry != null && entry.paused() ? 1 : 0;
  }
}
