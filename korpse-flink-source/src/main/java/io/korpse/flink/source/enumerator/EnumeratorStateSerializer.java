package io.korpse.flink.source.enumerator;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.flink.source.split.KorpseSplitSerializer;
import io.korpse.flink.source.split.PeerOffsets;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UTFDataFormatException;
import java.util.Map;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * Writes the enumerator's state and reads it back, that of Flink's own Kafka connector too.
 *
 * <p>What is written has the layout of the peer's version 3, so that the peer can read it: count,
 * format (int), then for each partition the length and bytes of a split and its status (int: 0
 * given, 1 not given), at last whether the first discovery is done (boolean). The peer takes the
 * format for the version of its splits and does not look at it; Korpse's are {@code 0x4B500001} and
 * up, with the bit {@code 0x8000} when the set of partitions is final. A given partition has the
 * start marker "earliest", as the peer writes it; one that waits for its offsets has the marker
 * "not stored".
 */
public final class EnumeratorStateSerializer implements SimpleVersionedSerializer<EnumeratorState> {

  /** The peer's version whose layout is written. */
  static final int LAYOUT = 3;

  /** The format that Korpse writes in place of the peer's split version. */
  static final int FORMAT_1 = 0x4B500001;

  static final int COMPLETE = 0x8000;

  private final KorpseSplitSerializer splits = new KorpseSplitSerializer();

  @Override
  public int getVersion() {
    return LAYOUT;
  }

  @Override
  public byte[] serialize(EnumeratorState state) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeInt(state.given().size() + state.ready().size() + state.waiting().size());
    out.writeInt(state.complete() ? FORMAT_1 | COMPLETE : FORMAT_1);
    for (Map.Entry<TopicPartition, Uuid> given : state.given().entrySet()) {
      PeerOffsets earliest = new PeerOffsets(PeerOffsets.EARLIEST, PeerOffsets.NO_STOP);
      KorpseSplit split = KorpseSplit.ofPeer(given.getKey(), earliest);
      write(out, split.withTopicId(given.getValue()), PeerEnumeratorState.ASSIGNED);
    }
    for (KorpseSplit split : state.ready()) {
      write(out, split, PeerEnumeratorState.UNASSIGNED);
    }
    for (TopicPartition partition : state.waiting()) {
      PeerOffsets unknown = new PeerOffsets(PeerOffsets.NOT_STORED, PeerOffsets.NO_STOP);
      write(out, KorpseSplit.ofPeer(partition, unknown), PeerEnumeratorState.UNASSIGNED);
    }
    out.writeBoolean(state.discovered());
    out.flush();
    return bytes.toByteArray();
  }

  private void write(DataOutputStream out, KorpseSplit split, int status) throws IOException {
    byte[] serialized = splits.serialize(split);
    out.writeInt(serialized.length);
    out.write(serialized);
    out.writeInt(status);
  }

  /**
   * Reads a state.
   *
   * @throws IOException if the version is none of 0 to 3, if a newer Korpse wrote it, or if the
   *     bytes are damaged
   */
  @Override
  public EnumeratorState deserialize(int version, byte[] serialized) throws IOException {
    try {
      return read(version, new DataInputStream(new ByteArrayInputStream(serialized)));
    } catch (EOFException | UTFDataFormatException | RuntimeException e) {
      throw new IOException(
          String.format("The enumerator state of version %d is damaged: %s", version, e), e);
    }
  }

  private EnumeratorState read(int version, DataInputStream in) throws IOException {
    EnumeratorState state =
        switch (version) {
          case 0 -> PeerEnumeratorState.readVersion0(in);
          case 1 -> PeerEnumeratorState.readVersion1(in);
          case 2 -> PeerEnumeratorState.readVersion2(in);
          case LAYOUT -> readLayout3(in);
          default ->
              throw new IOException(
                  KorpseSplitSerializer.unknownVersion("enumerator", version, "0 to 3"));
        };
    if (in.available() > 0) {
      throw new IOException(
          "The enumerator state has " + in.available() + " bytes too many for its version");
    }
    return state;
  }

  private EnumeratorState readLayout3(DataInputStream in) throws IOException {
    int count = in.readInt();
    int format = in.readInt();
    boolean ours = format == FORMAT_1 || format == (FORMAT_1 | COMPLETE);
    if (!ours && format != 0) {
      throw new IOException(KorpseSplitSerializer.unknownVersion("enumerator", format, "0 to 3"));
    }
    StateBuilder state = new StateBuilder();
    for (int left = count; left > 0; left--) {
      byte[] bytes = PeerEnumeratorState.readBytes(in);
      KorpseSplit split = splits.deserialize(ours ? splits.getVersion() : 0, bytes);
      state.add(split, in.readInt());
    }
    return state.build(in.readBoolean(), ours && (format & COMPLETE) != 0);
  }
}
