package io.korpse.flink.source.deserializer;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A record that could not be read, and why.
 *
 * @param record key, value, headers and coordinates as they came from the broker
 * @param cause what the schema threw
 */
public record BadRecord(ConsumerRecord<byte[], byte[]> record, Exception cause) {

  /** Topic, partition, offset and sizes, without any content of the record. */
  public String describe() {
    return "record at offset "
        + record.offset()
        + " of "
        + record.topic()
        + "-"
        + record.partition()
        + " (timestamp "
        + record.timestamp()
        + ", key "
        + size(record.key(), record.serializedKeySize())
        + ", value "
        + size(record.value(), record.serializedValueSize())
        + ")";
  }

  /** A key that nobody reads is not kept, but its size is; a hook's record has no sizes. */
  private static String size(byte[] bytes, int serialized) {
    int size = bytes == null ? serialized : bytes.length;
    return size < 0 ? "none" : size + " bytes";
  }

  /** As {@link #describe}: the content may be private. */
  @Override
  public String toString() {
    return describe() + ": " + cause;
  }
}
