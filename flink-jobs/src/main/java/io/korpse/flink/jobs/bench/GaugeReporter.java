package io.korpse.flink.jobs.bench;

import java.util.Map;
import java.util.OptionalDouble;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/**
 * Keeps the gauges and counters of the jobs of this JVM, to be read at any moment from any thread.
 */
public final class GaugeReporter implements MetricReporter {

  private static final Map<String, Metric> METRICS = new ConcurrentHashMap<>();

  /** Found by Flink through a service file that the bench writes when it starts a child. */
  public static final class Factory implements MetricReporterFactory {
    @Override
    public MetricReporter createMetricReporter(Properties properties) {
      return new GaugeReporter();
    }
  }

  @Override
  public void open(MetricConfig config) {}

  @Override
  public void close() {
    METRICS.clear();
  }

  @Override
  public void notifyOfAddedMetric(Metric metric, String metricName, MetricGroup group) {
    if (metric instanceof Gauge || metric instanceof Counter) {
      METRICS.put(group.getMetricIdentifier(metricName), metric);
    }
  }

  @Override
  public void notifyOfRemovedMetric(Metric metric, String metricName, MetricGroup group) {
    METRICS.remove(group.getMetricIdentifier(metricName), metric);
  }

  /**
   * The sum over all subtasks of the metric whose full name ends in {@code suffix}; empty if there
   * is none.
   */
  static OptionalDouble sum(String suffix) {
    double sum = 0;
    boolean found = false;
    for (Map.Entry<String, Metric> entry : METRICS.entrySet()) {
      if (entry.getKey().endsWith("." + suffix)) {
        OptionalDouble value = value(entry.getValue());
        if (value.isPresent()) {
          sum += value.getAsDouble();
          found = true;
        }
      }
    }
    return found ? OptionalDouble.of(sum) : OptionalDouble.empty();
  }

  private static OptionalDouble value(Metric metric) {
    if (metric instanceof Counter counter) {
      return OptionalDouble.of((double) counter.getCount());
    }
    if (metric instanceof Gauge<?> gauge && gauge.getValue() instanceof Number number) {
      return OptionalDouble.of(number.doubleValue());
    }
    return OptionalDouble.empty();
  }
}
