package io.korpse.flink.source.testing;

import io.korpse.testing.EmbeddedBroker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * The first segment of a partition on the disk of a broker's only node, to damage it. Batches have
 * the message format 2: see DefaultRecordBatch of kafka-clients.
 */
public final class LogFile {

  private static final int LENGTH_AT = 8;
  private static final int CRC_AT = 17;
  private static final int CRC_FROM = 21;
  private static final int RECORDS_AT = 61;
  private static final int LOG_OVERHEAD = 12;

  private final Path file;

  private LogFile(Path file) {
    this.file = file;
  }

  /** The file of a partition. */
  public static LogFile of(EmbeddedBroker broker, String partition) {
    String directory =
        broker
            .cluster()
            .nodes()
            .brokerNodes()
            .values()
            .iterator()
            .next()
            .logDataDirectories()
            .iterator()
            .next();
    Path file = Path.of(directory, partition, "00000000000000000000.log");
    if (!Files.exists(file)) {
      throw new IllegalStateException("There is no " + file);
    }
    return new LogFile(file);
  }

  /** Changes the last byte of a batch, so that its checksum is wrong. */
  public void breakBatch(int index) throws IOException {
    change(index, false, batch -> flip(batch, batch.limit() - 1));
  }

  /** Makes the length of the first record of a batch wrong; the checksum is right. */
  public void breakFirstRecord(int index) throws IOException {
    change(index, true, batch -> flip(batch, RECORDS_AT));
  }

  /**
   * Makes the size of a batch impossible. The broker finds no offset from there to the end of the
   * segment any more, and answers that the message is corrupt.
   */
  public void breakSize(int index) throws IOException {
    change(index, false, batch -> batch.putInt(LENGTH_AT, 1));
  }

  private interface Damage {
    void to(ByteBuffer batch);
  }

  private void change(int index, boolean withChecksum, Damage damage) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      long at = 0;
      for (int i = 0; i < index; i++) {
        at += size(channel, at);
      }
      ByteBuffer batch = ByteBuffer.allocate(size(channel, at));
      channel.read(batch, at);
      batch.flip();
      damage.to(batch);
      if (withChecksum) {
        CRC32C crc = new CRC32C();
        crc.update(batch.array(), CRC_FROM, batch.limit() - CRC_FROM);
        batch.putInt(CRC_AT, (int) crc.getValue());
      }
      channel.write(batch, at);
    }
  }

  private static int size(FileChannel channel, long at) throws IOException {
    ByteBuffer length = ByteBuffer.allocate(4);
    channel.read(length, at + LENGTH_AT);
    return length.getInt(0) + LOG_OVERHEAD;
  }

  private static void flip(ByteBuffer batch, int at) {
    batch.put(at, (byte) (batch.get(at) ^ 0x01));
  }
}
