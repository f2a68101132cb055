package io.korpse.flink.source.reader;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.metrics.groups.InternalSourceReaderMetricGroup;

/** Keeps the gauges that a reader registers, by their last name. */
final class MetricsOfReader extends UnregisteredMetricsGroup {

  private final Map<String, Gauge<?>> gauges;

  MetricsOfReader() {
    this(new ConcurrentHashMap<>());
  }

  private MetricsOfReader(Map<String, Gauge<?>> gauges) {
    this.gauges = gauges;
  }

  SourceReaderMetricGroup group() {
    return InternalSourceReaderMetricGroup.mock(this);
  }

  @Override
  public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
    gauges.put(name, gauge);
    return gauge;
  }

  @Override
  public MetricGroup addGroup(String name) {
    return new MetricsOfReader(gauges);
  }

  @Override
  public MetricGroup addGroup(String key, String value) {
    return new MetricsOfReader(gauges);
  }

  boolean has(String name) {
    return gauges.containsKey(name);
  }

  long number(String name) {
    return ((Number) gauges.get(name).getValue()).longValue();
  }
}
