package io.korpse.flink.source.split;

import io.korpse.offsets.Position;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * Writes splits into checkpoints and reads them back, those of Flink's own Kafka connector too.
 *
 * <p>Version {@code 0x4B500001}: topic (UTF), partition (int), flags (byte: 1 pristine, 2
 * unresolved), next offset (long) or the peer's start marker, leader epoch (int), stop offset
 * (long) or the peer's stop, topic id (two longs). Versions begin far from the peer's, which counts
 * from 0.
 */
public final class KorpseSplitSerializer implements SimpleVersionedSerializer<KorpseSplit> {

  /** The first version of Korpse's own. */
  static final int VERSION_1 = 0x4B500001;

  /** The only version that Flink's own connector has written so far. */
  static final int PEER_VERSION_0 = 0;

  private static final int PRISTINE = 1;
  private static final int UNRESOLVED = 2;

  @Override
  public int getVersion() {
    return VERSION_1;
  }

  @Override
  public byte[] serialize(KorpseSplit split) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(64);
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeUTF(split.partition().topic());
    out.writeInt(split.partition().partition());
    PeerOffsets unresolved = split.unresolved().orElse(null);
    out.writeByte((split.pristine() ? PRISTINE : 0) | (unresolved == null ? 0 : UNRESOLVED));
    out.writeLong(unresolved == null ? split.position().offset() : unresolved.start());
    out.writeInt(unresolved == null ? split.position().leaderEpoch() : Position.NO_EPOCH);
    out.writeLong(unresolved == null ? split.stopOffset() : unresolved.stop());
    out.writeLong(split.topicId().getMostSignificantBits());
    out.writeLong(split.topicId().getLeastSignificantBits());
    out.flush();
    return bytes.toByteArray();
  }

  /**
   * Reads a split.
   *
   * @throws IOException if the version is none of those listed, or the bytes are damaged
   */
  @Override
  public KorpseSplit deserialize(int version, byte[] serialized) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(serialized));
    return switch (version) {
      case VERSION_1 -> readVersion1(in);
      case PEER_VERSION_0 -> readPeer(in);
      default -> throw new IOException(unknownVersion("split", version, VERSION_1, "0"));
    };
  }

  private static KorpseSplit readVersion1(DataInputStream in) throws IOException {
    TopicPartition partition = new TopicPartition(in.readUTF(), in.readInt());
    int flags = in.readUnsignedByte();
    long start = in.readLong();
    int epoch = in.readInt();
    long stop = in.readLong();
    Uuid topicId = new Uuid(in.readLong(), in.readLong());
    if ((flags & UNRESOLVED) != 0) {
      return KorpseSplit.ofPeer(partition, new PeerOffsets(start, stop));
    }
    return new KorpseSplit(
        partition, new Position(start, epoch), stop, topicId, (flags & PRISTINE) != 0);
  }

  private static KorpseSplit readPeer(DataInputStream in) throws IOException {
    TopicPartition partition = new TopicPartition(in.readUTF(), in.readInt());
    return KorpseSplit.ofPeer(partition, new PeerOffsets(in.readLong(), in.readLong()));
  }

  /** What to say about a version that is not known: who wrote it, and what can be done. */
  public static String unknownVersion(String what, int version, int newest, String peerVersions) {
    String reads =
        String.format(
            " This version of Korpse reads 0x%X and, of Flink's own Kafka connector, %s.",
            newest, peerVersions);
    if ((version & 0xFFFF0000) == (newest & 0xFFFF0000)) {
      return String.format(
          "The %s state has version 0x%X, which a newer Korpse wrote; restore with that.%s",
          what, version, reads);
    }
    return String.format(
        "The %s state has version %d, which is none of Korpse's: a newer version of Flink's own"
            + " Kafka connector may have written it; take the savepoint with a version of it that"
            + " is read.%s",
        what, version, reads);
  }
}
