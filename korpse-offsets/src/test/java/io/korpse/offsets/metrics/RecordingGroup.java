package io.korpse.offsets.metrics;

import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.metrics.CharacterFilter;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.Meter;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;

/** Keeps what is registered by its full name; a closed group forgets its metrics. */
final class RecordingGroup implements MetricGroup {

  final Map<String, Metric> metrics;
  private final String prefix;

  RecordingGroup() {
    this(new TreeMap<>(), "");
  }

  private RecordingGroup(Map<String, Metric> metrics, String prefix) {
    this.metrics = metrics;
    this.prefix = prefix;
  }

  void close() {
    metrics.keySet().removeIf(name -> name.startsWith(prefix));
  }

  Object value(String name) {
    Metric metric = metrics.get(name);
    return metric instanceof Counter counter ? counter.getCount() : ((Gauge<?>) metric).getValue();
  }

  private <M extends Metric> M add(String name, M metric) {
    metrics.put(prefix + name, metric);
    return metric;
  }

  @Override
  public Counter counter(String name) {
    return add(name, new SimpleCounter());
  }

  @Override
  public <C extends Counter> C counter(String name, C counter) {
    return add(name, counter);
  }

  @Override
  public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
    return add(name, gauge);
  }

  @Override
  public <H extends Histogram> H histogram(String name, H histogram) {
    return add(name, histogram);
  }

  @Override
  public <M extends Meter> M meter(String name, M meter) {
    return add(name, meter);
  }

  @Override
  public MetricGroup addGroup(String name) {
    return new RecordingGroup(metrics, prefix + name + ".");
  }

  @Override
  public MetricGroup addGroup(String key, String value) {
    return addGroup(key).addGroup(value);
  }

  @Override
  public String[] getScopeComponents() {
    return prefix.split("\\.", -1);
  }

  @Override
  public Map<String, String> getAllVariables() {
    return Map.of();
  }

  @Override
  public String getMetricIdentifier(String name) {
    return prefix + name;
  }

  @Override
  public String getMetricIdentifier(String name, CharacterFilter filter) {
    return filter.filterCharacters(getMetricIdentifier(name));
  }
}
