package io.korpse.flink.jobs.bench;

import java.util.concurrent.CountDownLatch;
import org.apache.flink.api.connector.sink2.SinkWriter;

/**
 * Counts records and meters from the {@code first} to the {@code last} of them. One thread emits.
 */
final class SteadyProbe<T> implements RecordProbe<T> {

  private final long first;
  private final long last;
  private final long created = System.nanoTime();
  private final CountDownLatch finished = new CountDownLatch(1);
  private long count;
  private long next = 1;
  private long firstRecordNanos;
  private Meter start;
  private Meter end;

  SteadyProbe(long first, long last) {
    if (first < 1 || last <= first) {
      throw new IllegalArgumentException(
          "Nothing to measure from record %d to record %d".formatted(first, last));
    }
    this.first = first;
    this.last = last;
  }

  /** From the millionth record, or from the middle when there are fewer than two million. */
  static <T> SteadyProbe<T> of(long records) {
    return new SteadyProbe<>(Math.max(1, Math.min(1_000_000, records / 2)), records);
  }

  @Override
  public void accept(T value, SinkWriter.Context context) {
    if (++count == next) {
      mark();
    }
  }

  private void mark() {
    if (count == 1) {
      firstRecordNanos = System.nanoTime();
      next = first;
    }
    if (count == first) {
      start = Meter.now();
      next = last;
    } else if (count == last) {
      end = Meter.now();
      next = Long.MAX_VALUE;
      finished.countDown();
    }
  }

  boolean finished() {
    return finished.getCount() == 0;
  }

  void awaitFinished() throws InterruptedException {
    finished.await();
  }

  /** To be read after the last record. */
  Figures figures() {
    return end.figuresSince(start, last - first)
        .put("firstRecordSeconds", (firstRecordNanos - created) / 1e9);
  }
}
