package io.korpse.flink.jobs.chaos;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * A record that can be proved. Its value has its partition, its place in that partition, its
 * timestamp, and a checksum over these and some padding; key and headers follow from them.
 *
 * @param partition number of the partition that it was written to
 * @param sequence its place there, from 0
 * @param timestamp milliseconds since 1970
 */
record NumberedRecord(int partition, long sequence, long timestamp) {

  private static final int HEAD = Integer.BYTES + Long.BYTES + Long.BYTES;
  private static final int CHECKSUM = Integer.BYTES;

  /** The record to write, its value {@code padding} bytes longer than need be. */
  ProducerRecord<byte[], byte[]> to(String topic, int padding) {
    return new ProducerRecord<>(topic, partition, timestamp, key(), encode(padding), headers());
  }

  private byte[] key() {
    return ByteBuffer.allocate(Long.BYTES).putLong(sequence).array();
  }

  /** Two of one name, whose order counts, one that is empty and one without a value. */
  private Headers headers() {
    return new RecordHeaders()
        .add("number", key())
        .add("number", ByteBuffer.allocate(Integer.BYTES).putInt(partition).array())
        .add("empty", new byte[0])
        .add("null", null);
  }

  private byte[] encode(int padding) {
    ByteBuffer bytes = ByteBuffer.allocate(HEAD + padding + CHECKSUM);
    bytes.putInt(partition).putLong(sequence).putLong(timestamp);
    for (int i = 0; i < padding; i++) {
      bytes.put((byte) (sequence * 31 + i));
    }
    return bytes.putInt(checksum(bytes.array(), HEAD + padding)).array();
  }

  /** The record in {@code value}; empty when a byte of it has changed. */
  static Optional<NumberedRecord> decode(byte[] value) {
    if (value == null || value.length < HEAD + CHECKSUM) {
      return Optional.empty();
    }
    ByteBuffer bytes = ByteBuffer.wrap(value);
    int end = value.length - CHECKSUM;
    if (bytes.getInt(end) != checksum(value, end)) {
      return Optional.empty();
    }
    return Optional.of(new NumberedRecord(bytes.getInt(), bytes.getLong(), bytes.getLong()));
  }

  /** What of the copy is not as it was written, apart from the value; empty when nothing is. */
  String differences(ConsumerRecord<byte[], byte[]> copy) {
    return (copy.partition() == partition ? "" : " in another partition")
        + (copy.timestamp() == timestamp ? "" : " with another timestamp")
        + (Arrays.equals(copy.key(), key()) ? "" : " with another key")
        + (areEqual(copy.headers(), headers()) ? "" : " with other headers");
  }

  private static boolean areEqual(Headers some, Headers others) {
    Iterator<Header> one = some.iterator();
    Iterator<Header> other = others.iterator();
    while (one.hasNext() && other.hasNext()) {
      Header a = one.next();
      Header b = other.next();
      if (!a.key().equals(b.key()) || !Arrays.equals(a.value(), b.value())) {
        return false;
      }
    }
    return one.hasNext() == other.hasNext();
  }

  private static int checksum(byte[] bytes, int length) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, 0, length);
    return (int) checksum.getValue();
  }

  @Override
  public String toString() {
    return partition + "@" + sequence;
  }
}
