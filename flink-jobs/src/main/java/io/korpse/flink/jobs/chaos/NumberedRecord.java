package io.korpse.flink.jobs.chaos;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The value of a record that can be proved: its partition, its place in that partition, and a
 * checksum over these and some padding.
 *
 * @param partition number of the partition that it was written to
 * @param sequence its place there, from 0
 */
record NumberedRecord(int partition, long sequence) {

  private static final int HEAD = Integer.BYTES + Long.BYTES;
  private static final int CHECKSUM = Integer.BYTES;

  /** The bytes to write, {@code padding} bytes longer than need be. */
  byte[] encode(int padding) {
    ByteBuffer bytes = ByteBuffer.allocate(HEAD + padding + CHECKSUM);
    bytes.putInt(partition).putLong(sequence);
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
    return Optional.of(new NumberedRecord(bytes.getInt(), bytes.getLong()));
  }

  private static int checksum(byte[] bytes, int length) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, 0, length);
    return (int) checksum.getValue();
  }
}
