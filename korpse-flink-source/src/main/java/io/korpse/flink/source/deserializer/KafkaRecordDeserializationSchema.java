package io.korpse.flink.source.deserializer;

import java.io.IOException;
import java.io.Serializable;
import java.util.Map;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * Turns one Kafka record into any number of elements.
 *
 * <p>Opened, used and closed on the task thread, once per reader; with {@code
 * korpse.deserialize-on-fetcher}, used on the fetcher thread, a copy for each consumer of the
 * reader. An exception of {@link #deserialize} is a bad record and goes through the source's {@code
 * onBadRecord} policy; an exception of {@link #open} fails the task.
 *
 * @param <T> type of the elements
 */
public interface KafkaRecordDeserializationSchema<T> extends Serializable, ResultTypeQueryable<T> {

  /** Called once before the first record, with a metric group and the user's class loader. */
  default void open(DeserializationSchema.InitializationContext context) throws Exception {}

  /**
   * Gives the elements of a record to {@code out}, which must not be kept. What was given before an
   * exception has already been emitted.
   *
   * @throws IOException if the record cannot be read
   */
  void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<T> out) throws IOException;

  /** Called once after the last record, also after a failure; releases clients of a registry. */
  default void close() throws Exception {}

  /** Whether the key is looked at; when not, the source may drop it early. Default true. */
  default boolean readsKey() {
    return true;
  }

  /** Whether the headers are looked at; when not, the source may drop them early. Default true. */
  default boolean readsHeaders() {
    return true;
  }

  /**
   * Whether a record without a value can be read. When not, the source skips and counts tombstones
   * unless told otherwise. Default true; false for all {@code valueOnly} schemas.
   */
  default boolean readsTombstones() {
    return true;
  }

  /**
   * Whether {@link #deserialize} may run on the fetcher thread, if the source is told to: never two
   * calls at a time, and each sees what the one before has written.
   *
   * <p>True is right for a schema that uses nothing that belongs to the task's thread, such as
   * thread locals or what other operators of the task use, and that gives new objects for each
   * record: some thousand may wait between this call and the next operator. Default false; true for
   * all {@code valueOnly} schemas, where it depends on what they were given.
   */
  default boolean allowsFetcherThread() {
    return false;
  }

  /**
   * Reads the value with a Flink schema, by its collector form. The key and the headers are not
   * read.
   */
  static <T> KafkaRecordDeserializationSchema<T> valueOnly(DeserializationSchema<T> schema) {
    return new FlinkValueSchema<>(schema);
  }

  /** Reads the value with a Kafka deserializer that needs no configuration. */
  static <T> KafkaRecordDeserializationSchema<T> valueOnly(
      Class<? extends Deserializer<T>> deserializer) {
    return valueOnly(deserializer, Map.of());
  }

  /**
   * Reads the value with a Kafka deserializer, which is given the record's headers.
   *
   * @param deserializer class with a public constructor without arguments
   * @param config given to {@link Deserializer#configure}, or to {@code Configurable} when the
   *     class implements that
   */
  static <T> KafkaRecordDeserializationSchema<T> valueOnly(
      Class<? extends Deserializer<T>> deserializer, Map<String, String> config) {
    return new KafkaValueSchema<>(deserializer, config);
  }
}
