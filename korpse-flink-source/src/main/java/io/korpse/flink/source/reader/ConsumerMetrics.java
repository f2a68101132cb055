package io.korpse.flink.source.reader;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.DoubleStream;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.Metric;

/**
 * Shows the consumers' own metrics in the group {@code KafkaConsumer}, by their names, those of the
 * client as a whole only: what belongs to a topic, partition or node has the same name many times.
 * Of several consumers the sum is shown where a name says rate, total or count, the mean of
 * averages, the least of minima, and else the greatest.
 *
 * <p>A new consumer takes the gauges over, so that none shows a closed one. Bound by fetcher
 * threads.
 */
final class ConsumerMetrics {

  private static final Set<String> CLIENT_TAGS = Set.of("client-id");

  /** The metrics of one consumer have the same names and groups as those of another. */
  private record Key(String group, String name) {}

  private final MetricGroup group;
  private final boolean enabled;
  private final Set<String> registered = new HashSet<>();
  private final Map<Integer, Map<Key, Metric>> current = new ConcurrentHashMap<>();

  ConsumerMetrics(MetricGroup readerGroup, boolean enabled) {
    this.group = enabled ? readerGroup.addGroup("KafkaConsumer") : readerGroup;
    this.enabled = enabled;
  }

  void bind(Consumer<byte[], byte[]> consumer) {
    bind(0, consumer);
  }

  /** The consumer that is now the one of this number. */
  synchronized void bind(int index, Consumer<byte[], byte[]> consumer) {
    if (!enabled) {
      return;
    }
    Map<Key, Metric> own = new HashMap<>();
    consumer
        .metrics()
        .forEach(
            (name, metric) -> {
              if (name.tags().keySet().equals(CLIENT_TAGS)) {
                own.put(new Key(name.group(), name.name()), metric);
              }
            });
    current.put(index, own);
    for (Key key : own.keySet()) {
      if (registered.add(key.name())) {
        group.gauge(key.name(), (Gauge<Object>) () -> value(key));
      }
    }
  }

  private Object value(Key key) {
    List<Object> values = new ArrayList<>(current.size());
    for (Map<Key, Metric> own : current.values()) {
      Metric metric = own.get(key);
      if (metric != null) {
        values.add(metric.metricValue());
      }
    }
    if (values.size() > 1 && values.stream().allMatch(Number.class::isInstance)) {
      return together(key.name(), values);
    }
    return values.isEmpty() ? (Object) Double.NaN : values.get(0);
  }

  /** Those that have no value yet are left out. */
  private static double together(String name, List<Object> values) {
    DoubleStream known =
        values.stream()
            .mapToDouble(value -> ((Number) value).doubleValue())
            .filter(Double::isFinite);
    if (name.endsWith("-rate") || name.endsWith("-total") || name.endsWith("-count")) {
      return known.sum();
    }
    return (name.endsWith("-avg")
            ? known.average()
            : name.endsWith("-min") ? known.min() : known.max())
        .orElse(Double.NaN);
  }
}
