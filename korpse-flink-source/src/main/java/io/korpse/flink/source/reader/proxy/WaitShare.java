package io.korpse.flink.source.reader.proxy;

import java.util.Arrays;

/**
 * Limits waiting to a tenth of any ten seconds: counts what was waited in each of the last ten
 * seconds and the current one.
 */
class WaitShare {

  private static final long BUCKET_NANOS = 1_000_000_000L;
  private static final int BUCKETS = 11;
  private static final long LIMIT_NANOS = 1_000_000_000L;

  private final long[] waited = new long[BUCKETS];
  private long current;
  private long sum;

  WaitShare(long nowNanos) {
    current = Math.floorDiv(nowNanos, BUCKET_NANOS);
  }

  void add(long nanos, long nowNanos) {
    advance(nowNanos);
    waited[index(current)] += nanos;
    sum += nanos;
  }

  /** What may still be waited now, in nanoseconds. */
  long left(long nowNanos) {
    advance(nowNanos);
    return Math.max(0, LIMIT_NANOS - sum);
  }

  private void advance(long nowNanos) {
    long bucket = Math.floorDiv(nowNanos, BUCKET_NANOS);
    if (bucket - current >= BUCKETS) {
      Arrays.fill(waited, 0);
      sum = 0;
      current = bucket;
    }
    while (current < bucket) {
      current++;
      sum -= waited[index(current)];
      waited[index(current)] = 0;
    }
  }

  private static int index(long bucket) {
    return (int) Math.floorMod(bucket, (long) BUCKETS);
  }
}
