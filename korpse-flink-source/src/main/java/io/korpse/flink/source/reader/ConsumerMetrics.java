package io.korpse.flink.source.reader;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;

/**
 * Shows the consumer's own metrics in the group {@code KafkaConsumer}, by their names, those of the
 * client as a whole only: what belongs to a topic, partition or node has the same name many times.
 *
 * <p>A new consumer takes the gauges over, so that none shows a closed one. Fetcher thread.
 */
final class ConsumerMetrics {

  private static final Set<String> CLIENT_TAGS = Set.of("client-id");

  private final MetricGroup group;
  private final boolean enabled;
  private final Set<String> registered = new HashSet<>();
  private volatile Map<MetricName, ? extends Metric> current = Map.of();

  ConsumerMetrics(MetricGroup readerGroup, boolean enabled) {
    this.group = enabled ? readerGroup.addGroup("KafkaConsumer") : readerGroup;
    this.enabled = enabled;
  }

  void bind(Consumer<byte[], byte[]> consumer) {
    if (!enabled) {
      return;
    }
    current = consumer.metrics();
    for (MetricName name : current.keySet()) {
      if (name.tags().keySet().equals(CLIENT_TAGS) && registered.add(name.name())) {
        group.gauge(name.name(), (Gauge<Object>) () -> value(name));
      }
    }
  }

  private Object value(MetricName name) {
    Metric metric = current.get(name);
    return metric == null ? Double.NaN : metric.metricValue();
  }
}
