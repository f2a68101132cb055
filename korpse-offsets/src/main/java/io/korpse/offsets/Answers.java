package io.korpse.offsets;

import io.korpse.offsets.Resolution.Unresolved;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** What the brokers said, and for which partitions they did not. Values may be null. */
record Answers<T>(Map<TopicPartition, T> found, Map<TopicPartition, Unresolved> failed) {

  static <T> Answers<T> empty() {
    return new Answers<>(new LinkedHashMap<>(), new LinkedHashMap<>());
  }
}
