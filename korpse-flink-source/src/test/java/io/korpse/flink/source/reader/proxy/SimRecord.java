package io.korpse.flink.source.reader.proxy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.internal.DefaultRecord;

/**
 * One record of a simulated log: sizes, not bytes. The value is made when it is read; its first
 * eight bytes, if it has as many, are the offset.
 *
 * @param offset offset in the log
 * @param timestamp create time in milliseconds, -1 for none
 * @param keyBytes size of the key, -1 for no key
 * @param valueBytes size of the value, -1 for a tombstone
 * @param headerBytes size of the value of the only header, -1 for no header
 */
record SimRecord(long offset, long timestamp, int keyBytes, int valueBytes, int headerBytes) {

  private static final Header[] NO_HEADERS = new Header[0];

  /** A record that a batch will give an offset. */
  static SimRecord of(long timestamp, int valueBytes) {
    return new SimRecord(-1, timestamp, -1, valueBytes, -1);
  }

  SimRecord at(long newOffset) {
    return new SimRecord(newOffset, timestamp, keyBytes, valueBytes, headerBytes);
  }

  /** Size without any overhead. */
  int payloadBytes() {
    return Math.max(0, keyBytes) + Math.max(0, valueBytes) + Math.max(0, headerBytes);
  }

  /** Size on the wire as a record of a batch that is not compressed. */
  int wireBytes(int offsetDelta, long firstTimestamp) {
    return DefaultRecord.sizeInBytes(
        offsetDelta, timestamp - firstTimestamp, keyBytes, valueBytes, headers());
  }

  ByteBuffer key() {
    return keyBytes < 0 ? null : ByteBuffer.allocate(keyBytes);
  }

  ByteBuffer value() {
    if (valueBytes < 0) {
      return null;
    }
    ByteBuffer value = ByteBuffer.allocate(valueBytes);
    if (valueBytes >= Long.BYTES) {
      value.putLong(0, offset);
    }
    return value;
  }

  /** Headers as the client makes them: views of a buffer that are read when asked. */
  Header[] headers() {
    if (headerBytes < 0) {
      return NO_HEADERS;
    }
    ByteBuffer name = ByteBuffer.wrap("h".getBytes(StandardCharsets.UTF_8));
    return new Header[] {new RecordHeader(name, ByteBuffer.allocate(headerBytes))};
  }
}
