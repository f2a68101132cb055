package io.korpse.flink.source.reader;

import io.korpse.flink.source.reader.proxy.HandoverBatch;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;

/**
 * Counts the bytes of each batch in Flink's {@code numBytesIn}, and shows in {@code fetcherCpuTime}
 * how many milliseconds of CPU the fetcher threads have used, -1 before the first batch. A rate
 * near a second per second and thread means that the fetcher is the bottleneck, which Flink's busy
 * time of the task does not show. Starts again with each fetcher thread.
 *
 * <p>Each consumer's part is called by its fetcher thread; the gauge is read by any.
 */
final class FetcherMetrics {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final Counter bytesIn;
  private final List<Lane> lanes = new ArrayList<>();

  FetcherMetrics(SourceReaderMetricGroup metrics, MetricGroup group, int consumers) {
    bytesIn = metrics.getIOMetricGroup().getNumBytesInCounter();
    for (int i = 0; i < consumers; i++) {
      lanes.add(new Lane());
    }
    group.gauge("fetcherCpuTime", (Gauge<Long>) this::cpuMillis);
  }

  /** What counts the batches of one consumer. */
  Consumer<HandoverBatch> lane(int index) {
    return lanes.get(index);
  }

  private final class Lane implements Consumer<HandoverBatch> {

    private volatile long threadId = -1;

    @Override
    public void accept(HandoverBatch batch) {
      // Flink's counter is not made for several threads.
      synchronized (bytesIn) {
        bytesIn.inc(batch.payloadBytes());
      }
      long current = Thread.currentThread().getId();
      if (threadId != current) {
        threadId = current;
      }
    }
  }

  private long cpuMillis() {
    long sum = -1;
    for (Lane lane : lanes) {
      long id = lane.threadId;
      long nanos =
          id >= 0 && THREADS.isThreadCpuTimeSupported() ? THREADS.getThreadCpuTime(id) : -1;
      if (nanos >= 0) {
        sum = Math.max(0, sum) + nanos / 1_000_000;
      }
    }
    return sum;
  }
}
