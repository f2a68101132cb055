package io.korpse.flink.jobs.bench;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Notes when the consumer of a source hands out a record, and the settings that this consumer
 * really has. The client makes it by name, so what it notes belongs to the class.
 */
public final class FetchWatch implements ConsumerInterceptor<byte[], byte[]> {

  private static final Map<Long, Long> SEEN_NANOS = new ConcurrentHashMap<>();
  private static volatile int fetchMaxWaitMillis = -1;

  /** Forgets what was seen before. */
  static void reset() {
    SEEN_NANOS.clear();
    fetchMaxWaitMillis = -1;
  }

  /** When the record was handed out, by the monotonic clock; 0 if it was not yet. */
  static long seenNanos(int partition, long offset) {
    return SEEN_NANOS.getOrDefault(Coordinates.of(partition, offset), 0L);
  }

  /** As the consumer was configured; -1 before there is one. */
  static int fetchMaxWaitMillis() {
    return fetchMaxWaitMillis;
  }

  @Override
  public void configure(Map<String, ?> configuration) {
    Object value = configuration.get("fetch.max.wait.ms");
    fetchMaxWaitMillis = value == null ? 500 : Integer.parseInt(value.toString());
  }

  @Override
  public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
    long now = System.nanoTime();
    for (ConsumerRecord<byte[], byte[]> record : records) {
      SEEN_NANOS.putIfAbsent(Coordinates.of(record.partition(), record.offset()), now);
    }
    return records;
  }

  @Override
  public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

  @Override
  public void close() {}
}
