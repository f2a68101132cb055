package io.korpse.offsets.lag;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What partitions had lost that are watched no more: a total must not fall when one of them leaves,
 * as a split does that ends where its log was cut. Thread-safe.
 */
final class LostRecords {

  private final Map<String, Long> byTopic = new ConcurrentHashMap<>();

  void add(String topic, long records) {
    if (records > 0) {
      byTopic.merge(topic, records, Long::sum);
    }
  }

  long of(String topic) {
    return byTopic.getOrDefault(topic, 0L);
  }

  long total() {
    return byTopic.values().stream().mapToLong(Long::longValue).sum();
  }
}
