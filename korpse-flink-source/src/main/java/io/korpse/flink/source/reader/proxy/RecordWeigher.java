package io.korpse.flink.source.reader.proxy;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/** Says how many bytes of heap a record takes while it is buffered. */
@FunctionalInterface
public interface RecordWeigher {

  /**
   * Heap of one record without its key, value and headers: the ConsumerRecord, its header list, its
   * epoch, two array headers and the places in the lists that hold it, with compressed references.
   */
  int OVERHEAD = 180;

  /** Heap of one header without the bytes of its key and value. */
  int HEADER_OVERHEAD = 120;

  /** The heap of a record in bytes; always the same for the same record. */
  int weigh(ConsumerRecord<byte[], byte[]> record);

  /**
   * Weighs by the sizes that the record itself carries, without a look at what it refers to.
   *
   * @param keepKeys whether keys are copied; else they weigh nothing
   * @param keepHeaders whether headers are kept; else only a record without a value still has them
   */
  static RecordWeigher of(boolean keepKeys, boolean keepHeaders) {
    return record -> {
      int value = record.serializedValueSize();
      int bytes = OVERHEAD + Math.max(0, value);
      if (keepKeys) {
        bytes += Math.max(0, record.serializedKeySize());
      }
      return keepHeaders || value < 0 ? bytes + heapOf(record.headers()) : bytes;
    };
  }

  /** Weighs what the record really holds: a key that was not kept weighs nothing. */
  static int heapOf(ConsumerRecord<byte[], byte[]> record) {
    int bytes = OVERHEAD;
    if (record.key() != null) {
      bytes += record.key().length;
    }
    if (record.value() != null) {
      bytes += record.value().length;
    }
    return bytes + heapOf(record.headers());
  }

  private static int heapOf(Headers headers) {
    int bytes = 0;
    for (Header header : headers.toArray()) {
      bytes += HEADER_OVERHEAD + header.key().length();
      if (header.value() != null) {
        bytes += header.value().length;
      }
    }
    return bytes;
  }
}
