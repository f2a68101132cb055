package io.korpse.flink.jobs.bench;

import org.apache.flink.api.connector.sink2.SinkWriter;

/** By how much each record is older than the newest that came before it. One thread emits. */
final class DisorderProbe<T> implements RecordProbe<T> {

  private final long records;
  private long count;
  private long newest = Long.MIN_VALUE;
  private long worstMillis;
  private long sumMillis;
  private long firstNanos;
  private long lastNanos;

  DisorderProbe(long records) {
    this.records = records;
  }

  @Override
  public void accept(T value, SinkWriter.Context context) {
    if (count++ == 0) {
      firstNanos = System.nanoTime();
    }
    long timestamp = context.timestamp();
    if (timestamp >= newest) {
      newest = timestamp;
    } else {
      long behind = newest - timestamp;
      sumMillis += behind;
      worstMillis = Math.max(worstMillis, behind);
    }
    if (count == records) {
      lastNanos = System.nanoTime();
    }
  }

  /**
   * Largest and mean disorder in seconds, and the rate from the first record to the last.
   *
   * @throws IllegalStateException if other than the expected records came
   */
  Figures figures() {
    if (count != records) {
      throw new IllegalStateException("%d of %d records came".formatted(count, records));
    }
    return new Figures()
        .put("maxDisorderSeconds", worstMillis / 1e3)
        .put("meanDisorderSeconds", sumMillis / 1e3 / count)
        .put("recordsPerSecond", (count - 1) * 1e9 / (lastNanos - firstNanos));
  }
}
