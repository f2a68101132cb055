package io.korpse.flink.source.reader.proxy;

/**
 * The share of several proxies and of what merges their batches: what two of them wait for at the
 * same time counts once. Thread-safe.
 */
final class SharedWaitShare extends WaitShare {

  private long countedUntil;

  SharedWaitShare(long nowNanos) {
    super(nowNanos);
    countedUntil = nowNanos;
  }

  @Override
  synchronized void add(long nanos, long nowNanos) {
    long fresh = Math.max(0, Math.min(nanos, nowNanos - countedUntil));
    countedUntil = Math.max(countedUntil, nowNanos);
    super.add(fresh, nowNanos);
  }

  @Override
  synchronized long left(long nowNanos) {
    return super.left(nowNanos);
  }
}
