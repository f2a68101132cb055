package io.korpse.flink.jobs.bench;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.flink.api.connector.sink2.SinkWriter;

/**
 * Counts what comes, and what is not the next record of its partition or is behind the watermark.
 * The records of one partition come on one thread.
 */
final class LoadProbe implements RecordProbe<Long> {

  private final AtomicLongArray next;
  private final long records;
  private final AtomicLong seen = new AtomicLong();
  private final AtomicLong outOfSequence = new AtomicLong();
  private final AtomicLong late = new AtomicLong();
  private final AtomicLong lastTimestamp = new AtomicLong(Filler.EPOCH_MILLIS);
  private volatile long firstNanos;
  private volatile long lastNanos;

  LoadProbe(int partitions, long records) {
    this.next = new AtomicLongArray(partitions);
    this.records = records;
  }

  @Override
  public void accept(Long coordinates, SinkWriter.Context context) {
    long count = seen.incrementAndGet();
    if (count == 1) {
      firstNanos = System.nanoTime();
    }
    int partition = Coordinates.partition(coordinates);
    long offset = Coordinates.offset(coordinates);
    if (next.get(partition) != offset) {
      outOfSequence.incrementAndGet();
    }
    next.lazySet(partition, offset + 1);
    long timestamp = context.timestamp();
    if (timestamp <= context.currentWatermark()) {
      late.incrementAndGet();
    }
    if (timestamp > lastTimestamp.get()) {
      lastTimestamp.accumulateAndGet(timestamp, Math::max);
    }
    if (count == records) {
      lastNanos = System.nanoTime();
    }
  }

  boolean finished() {
    return lastNanos != 0;
  }

  /** How much of all has come, from 0 to 1. */
  double share() {
    return seen.get() / (double) records;
  }

  Figures figures() {
    long first = firstNanos;
    long end = lastNanos == 0 ? System.nanoTime() : lastNanos;
    double seconds = first == 0 ? 0 : (end - first) / 1e9;
    return new Figures()
        .put("recordsPerSecond", seconds == 0 ? 0 : seen.get() / seconds)
        .put("seconds", seconds)
        .put("eventSeconds", (lastTimestamp.get() - Filler.EPOCH_MILLIS) / 1e3)
        .put("outOfSequence", (double) outOfSequence.get())
        .put("lateRecords", (double) late.get());
  }
}
