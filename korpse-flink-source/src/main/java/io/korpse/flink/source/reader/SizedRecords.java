package io.korpse.flink.source.reader;

import io.korpse.flink.source.RecordSize;
import io.korpse.flink.source.reader.proxy.RecordWeigher;
import io.korpse.flink.source.reader.proxy.UnreadableRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Weighs records by the user's function, which must say something above 0. Fetcher thread. */
record SizedRecords(RecordSize size) implements RecordWeigher {

  @Override
  public int weigh(ConsumerRecord<byte[], byte[]> record) {
    if (record instanceof UnreadableRecord) {
      return RecordWeigher.heapOf(record);
    }
    int bytes;
    try {
      bytes = size.bytesOf(record);
    } catch (RuntimeException e) {
      throw new IllegalStateException("The record size failed at " + at(record) + ": " + e, e);
    }
    if (bytes <= 0) {
      throw new IllegalStateException(
          "The record size of " + at(record) + " is " + bytes + "; it is above 0");
    }
    return bytes;
  }

  private static String at(ConsumerRecord<byte[], byte[]> record) {
    return record.topic() + "-" + record.partition() + "@" + record.offset();
  }
}
