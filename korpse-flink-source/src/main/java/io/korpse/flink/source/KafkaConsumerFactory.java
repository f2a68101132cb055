package io.korpse.flink.source;

import java.io.Serializable;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * Makes the consumers that read, in place of {@code new KafkaConsumer<>(config, keys, values)}: a
 * subclass, one with interceptors that need objects, or one that a test scripts.
 *
 * <p>Called on the thread that uses and closes the consumer, possibly more than once in the life of
 * a reader. Where that reads with several consumers, each has a copy of its own. What it throws
 * fails the job.
 */
@FunctionalInterface
public interface KafkaConsumerFactory extends Serializable {

  /** A plain {@link KafkaConsumer}. The default. */
  KafkaConsumerFactory STANDARD = KafkaConsumer::new;

  /**
   * A consumer.
   *
   * @param config the whole configuration, without deserializers; not to be weakened, since the
   *     source relies on assignment, on {@code auto.offset.reset=none} and on its own commits
   * @param keys copies keys and keeps the memory bound: the consumer must use it
   * @param values likewise for values
   */
  Consumer<byte[], byte[]> create(
      Map<String, Object> config, Deserializer<byte[]> keys, Deserializer<byte[]> values);
}
