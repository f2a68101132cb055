package io.korpse.flink.source.enumerator;

import java.util.function.LongSupplier;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;

/**
 * The metrics of the enumerator, in the group {@code KorpseSourceEnumerator}: discoveries that
 * succeeded and failed, how long the last one took (milliseconds), and how many partitions are with
 * readers, wait for offsets, or were removed. The number of unassigned splits is Flink's own
 * metric.
 */
final class EnumeratorMetrics {

  private final Counter succeeded;
  private final Counter failed;
  private final Counter removed;
  private volatile long discoveryMillis = -1;

  EnumeratorMetrics(
      SplitEnumeratorMetricGroup metrics,
      LongSupplier unassigned,
      LongSupplier given,
      LongSupplier waiting) {
    metrics.setUnassignedSplitsGauge(unassigned::getAsLong);
    MetricGroup group = metrics.addGroup("KorpseSourceEnumerator");
    succeeded = group.counter("discoveriesSucceeded");
    failed = group.counter("discoveriesFailed");
    removed = group.counter("partitionsRemoved");
    group.gauge("discoveryTime", (Gauge<Long>) () -> discoveryMillis);
    group.gauge("assignedSplits", (Gauge<Long>) given::getAsLong);
    group.gauge("partitionsWithoutOffsets", (Gauge<Long>) waiting::getAsLong);
  }

  void discovered(long millis) {
    discoveryMillis = millis;
    succeeded.inc();
  }

  void discoveryFailed() {
    failed.inc();
  }

  void removed(int partitions) {
    removed.inc(partitions);
  }
}
