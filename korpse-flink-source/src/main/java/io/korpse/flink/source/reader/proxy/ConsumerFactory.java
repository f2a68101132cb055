package io.korpse.flink.source.reader.proxy;

import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * Makes the consumer of a proxy. Called on the fetcher thread, which also uses and closes it;
 * possibly more than once in the life of a reader.
 */
@FunctionalInterface
public interface ConsumerFactory {

  /**
   * Makes a consumer.
   *
   * @param overrides settings that go above the configured ones, such as {@code max.poll.records}
   * @param keys copies keys and keeps the memory bound: the consumer must use it
   * @param values likewise for values
   */
  Consumer<byte[], byte[]> create(
      Map<String, Object> overrides, Deserializer<byte[]> keys, Deserializer<byte[]> values);
}
