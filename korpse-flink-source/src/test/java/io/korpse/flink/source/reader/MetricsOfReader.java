package io.korpse.flink.source.reader;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.metrics.groups.InternalSourceReaderMetricGroup;

/**
 * Keeps the gauges and counters that a reader registers, by their path: the names of their groups
 * below the reader's own {@code KafkaSourceReader}, and their own, with dots.
 */
final class MetricsOfReader extends UnregisteredMetricsGroup {

  private static final String ROOT = "KafkaSourceReader";

  private final Map<String, Metric> metrics;
  private final String path;

  MetricsOfReader() {
    this(new ConcurrentHashMap<>(), "");
  }

  private MetricsOfReader(Map<String, Metric> metrics, String path) {
    this.metrics = metrics;
    this.path = path;
  }

  SourceReaderMetricGroup group() {
    return InternalSourceReaderMetricGroup.mock(this);
  }

  @Override
  public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
    metrics.put(path + name, gauge);
    return gauge;
  }

  @Override
  public Counter counter(String name) {
    return counter(name, super.counter(name));
  }

  @Override
  public <C extends Counter> C counter(String name, C counter) {
    metrics.put(path + name, counter);
    return counter;
  }

  @Override
  public MetricGroup addGroup(String name) {
    return new MetricsOfReader(metrics, name.equals(ROOT) ? "" : path + name + ".");
  }

  @Override
  public MetricGroup addGroup(String key, String value) {
    return new MetricsOfReader(metrics, path + key + "." + value + ".");
  }

  boolean has(String name) {
    return metrics.containsKey(name);
  }

  long number(String name) {
    Metric metric = metrics.get(name);
    if (metric == null) {
      throw new AssertionError("No metric " + name + ", only " + metrics.keySet());
    }
    return metric instanceof Counter counter
        ? counter.getCount()
        : ((Number) ((Gauge<?>) metric).getValue()).longValue();
  }
}
