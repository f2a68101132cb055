package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.testutils.MetricListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;

final class ConsumerMetricsTest {

  private final MetricListener listener = new MetricListener();

  /** W54: what belongs to a node, topic or partition has one name many times. */
  @Test
  void shows_what_belongs_to_the_whole_client() {
    ConsumerMetrics metrics = new ConsumerMetrics(listener.getMetricGroup(), true);
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      metrics.bind(consumer);

      assertThat(gauge("connection-count")).isNotNull();
      assertThat(gauge("records-consumed-total")).isNotNull();
      assertThat(consumer.metrics().keySet())
          .filteredOn(name -> name.name().equals("count"))
          .isNotEmpty();
    }
  }

  /** W55: a second consumer of the same reader. */
  @Test
  void a_new_consumer_takes_the_gauges_over() {
    ConsumerMetrics metrics = new ConsumerMetrics(listener.getMetricGroup(), true);
    try (KafkaConsumer<byte[], byte[]> first = consumer()) {
      metrics.bind(first);
    }
    Gauge<Object> started = gauge("start-time-ms");
    try (KafkaConsumer<byte[], byte[]> second = consumer()) {
      metrics.bind(second);

      assertThat(gauge("start-time-ms")).isSameAs(started);
      assertThat(started.getValue()).isEqualTo(value(second, "start-time-ms"));
    }
  }

  @Test
  void two_consumers_of_a_reader_are_shown_together() {
    ConsumerMetrics metrics = new ConsumerMetrics(listener.getMetricGroup(), true);
    try (KafkaConsumer<byte[], byte[]> first = consumer("one-reader-c0");
        KafkaConsumer<byte[], byte[]> second = consumer("one-reader-c1")) {
      metrics.bind(0, first);
      metrics.bind(1, second);

      assertThat((Double) gauge("records-consumed-total").getValue()).isZero();
      assertThat((Double) gauge("start-time-ms").getValue())
          .isEqualTo(((Number) value(second, "start-time-ms")).doubleValue());
      assertThat(gauge("version").getValue()).isEqualTo(value(first, "version"));
    }
  }

  @Test
  void shows_nothing_when_it_is_switched_off() {
    ConsumerMetrics metrics = new ConsumerMetrics(listener.getMetricGroup(), false);
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      metrics.bind(consumer);
    }

    assertThat(listener.getGauge("KafkaConsumer", "connection-count")).isEmpty();
    assertThat(listener.getGauge("connection-count")).isEmpty();
  }

  private Gauge<Object> gauge(String name) {
    return listener.getGauge("KafkaConsumer", name).orElseThrow();
  }

  private static Object value(KafkaConsumer<?, ?> consumer, String name) {
    return consumer.metrics().entrySet().stream()
        .filter(metric -> metric.getKey().name().equals(name))
        .map(Map.Entry::getValue)
        .map(Metric::metricValue)
        .findFirst()
        .orElseThrow();
  }

  /** Connects to nothing: making a consumer does not need a broker. */
  private static KafkaConsumer<byte[], byte[]> consumer() {
    return consumer("one-reader");
  }

  private static KafkaConsumer<byte[], byte[]> consumer(String clientId) {
    return new KafkaConsumer<>(
        Map.of("bootstrap.servers", "localhost:1", "client.id", clientId),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer());
  }
}
