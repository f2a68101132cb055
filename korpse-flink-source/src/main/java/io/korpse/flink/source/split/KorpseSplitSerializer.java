package io.korpse.flink.source.split;

import io.korpse.offsets.Position;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UTFDataFormatException;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * Writes splits into checkpoints and reads them back, those of Flink's own Kafka connector too.
 *
 * <p>Version {@code 0x4B500001}: topic (UTF), partition (int), next offset or the peer's start
 * marker (long), stop offset or the peer's stop (long; {@code Long.MIN_VALUE} is none), flags
 * (byte: 1 pristine, 2 stop seen), leader epoch (int), topic id (two longs).
 */
public final class KorpseSplitSerializer implements SimpleVersionedSerializer<KorpseSplit> {

  // The first four fields are all that the peer writes, in its order. Its deserializer neither
  // looks at the version nor at what follows them, so it reads our splits: that is the way back.
  // The version itself is far from the peer's, which counts from 0.

  /** The first version of Korpse's own. */
  static final int VERSION_1 = 0x4B500001;

  /** The only version that Flink's own connector has written so far. */
  static final int PEER_VERSION_0 = 0;

  private static final int PRISTINE = 1;

  // A later flag of version 1: a state without it says that nothing is known.
  private static final int STOP_SEEN = 2;

  @Override
  public int getVersion() {
    return VERSION_1;
  }

  @Override
  public byte[] serialize(KorpseSplit split) throws IOException {
    PeerOffsets peer = split.unresolved().orElse(null);
    if (peer != null) {
      return serialize(split, peer.start(), Position.NO_EPOCH, peer.stop());
    }
    long stop =
        split.stopOffset() == KorpseSplit.NO_STOP_OFFSET ? PeerOffsets.NO_STOP : split.stopOffset();
    return serialize(split, split.position().offset(), split.position().leaderEpoch(), stop);
  }

  private static byte[] serialize(KorpseSplit split, long start, int epoch, long stop)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(64);
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeUTF(split.partition().topic());
    out.writeInt(split.partition().partition());
    out.writeLong(start);
    out.writeLong(stop);
    out.writeByte((split.pristine() ? PRISTINE : 0) | (split.stopSeen() ? STOP_SEEN : 0));
    out.writeInt(epoch);
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
    if (version != VERSION_1 && version != PEER_VERSION_0) {
      throw new IOException(unknownVersion("split", version, "0"));
    }
    try {
      return read(version, new DataInputStream(new ByteArrayInputStream(serialized)));
    } catch (EOFException | UTFDataFormatException | RuntimeException e) {
      throw new IOException(
          String.format("The split state of version 0x%X is damaged: %s", version, e), e);
    }
  }

  private static KorpseSplit read(int version, DataInputStream in) throws IOException {
    TopicPartition partition = new TopicPartition(in.readUTF(), in.readInt());
    PeerOffsets offsets = new PeerOffsets(in.readLong(), in.readLong());
    KorpseSplit split = KorpseSplit.ofPeer(partition, offsets);
    if (version == PEER_VERSION_0) {
      return split;
    }
    int flags = in.readUnsignedByte();
    boolean pristine = (flags & PRISTINE) != 0;
    int epoch = in.readInt();
    Uuid topicId = new Uuid(in.readLong(), in.readLong());
    if (in.available() > 0) {
      throw new IOException("The split state has bytes too many for version 1");
    }
    if (!offsets.resolved()) {
      return split.withTopicId(topicId);
    }
    return new KorpseSplit(
            partition, new Position(offsets.start(), epoch), split.stopOffset(), topicId, pristine)
        .withStopSeen((flags & STOP_SEEN) != 0);
  }

  /** What to say about a version that is not known: who wrote it, and what can be done. */
  public static String unknownVersion(String what, int version, String peerVersions) {
    String reads =
        String.format(
            " This version of Korpse reads 0x%X and, of Flink's own Kafka connector, %s.",
            VERSION_1, peerVersions);
    if ((version & 0xFFFF0000) == (VERSION_1 & 0xFFFF0000)) {
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
