package io.korpse.flink.source.reader;

import io.korpse.flink.source.reader.proxy.HandoverBatch;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.function.Consumer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;

/**
 * Counts the bytes of each batch in Flink's {@code numBytesIn}, and shows in {@code fetcherCpuTime}
 * how many milliseconds of CPU the fetcher thread has used, -1 before its first batch. A rate near
 * a second per second means that the fetcher is the bottleneck, which Flink's busy time of the task
 * does not show. Starts again with each fetcher thread.
 *
 * <p>Called by the fetcher thread; the gauge is read by any.
 */
final class FetcherMetrics implements Consumer<HandoverBatch> {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final Counter bytesIn;
  private volatile long threadId = -1;

  FetcherMetrics(SourceReaderMetricGroup metrics, MetricGroup group) {
    bytesIn = metrics.getIOMetricGroup().getNumBytesInCounter();
    group.gauge("fetcherCpuTime", (Gauge<Long>) this::cpuMillis);
  }

  @Override
  public void accept(HandoverBatch batch) {
    bytesIn.inc(batch.payloadBytes());
    long current = Thread.currentThread().getId();
    if (threadId != current) {
      threadId = current;
    }
  }

  private long cpuMillis() {
    long nanos =
        threadId >= 0 && THREADS.isThreadCpuTimeSupported()
            ? THREADS.getThreadCpuTime(threadId)
            : -1;
    return nanos < 0 ? -1 : nanos / 1_000_000;
  }
}
