package io.korpse.flink.source.testing;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;

/** Keeps what is registered, by its name with those of its groups. */
public final class NamedMetrics extends UnregisteredMetricsGroup {

  private final Map<String, Metric> all;
  private final String prefix;

  /** An empty group. */
  public NamedMetrics() {
    this(new TreeMap<>(), "");
  }

  private NamedMetrics(Map<String, Metric> all, String prefix) {
    this.all = all;
    this.prefix = prefix;
  }

  /** All names. */
  public Set<String> names() {
    return all.keySet();
  }

  /** What a gauge or counter shows. */
  public long number(String name) {
    Metric metric = all.get(name);
    if (metric instanceof Counter counter) {
      return counter.getCount();
    }
    return ((Number) ((Gauge<?>) metric).getValue()).longValue();
  }

  @Override
  public Counter counter(String name) {
    Counter counter = super.counter(name);
    all.put(prefix + name, counter);
    return counter;
  }

  @Override
  public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
    all.put(prefix + name, gauge);
    return gauge;
  }

  @Override
  public MetricGroup addGroup(String name) {
    return new NamedMetrics(all, prefix + name + ".");
  }

  @Override
  public MetricGroup addGroup(String key, String value) {
    return new NamedMetrics(all, prefix + key + "." + value + ".");
  }
}
