package io.korpse.flink.source.enumerator;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.flink.source.split.KorpseSplitSerializer;
import io.korpse.flink.source.split.PeerOffsets;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads the enumerator states of older versions of Flink's own Kafka connector: 0 holds splits by
 * subtask, 1 partitions, all of them given to readers, 2 partitions with a status. None holds a
 * position that counts: those are with the readers.
 */
final class PeerEnumeratorState {

  static final int ASSIGNED = 0;
  static final int UNASSIGNED = 1;

  private static final PeerOffsets NOT_STORED =
      new PeerOffsets(PeerOffsets.NOT_STORED, PeerOffsets.NO_STOP);

  private PeerEnumeratorState() {}

  static EnumeratorState readVersion0(DataInputStream in) throws IOException {
    KorpseSplitSerializer splits = new KorpseSplitSerializer();
    StateBuilder state = new StateBuilder();
    int subtasks = in.readInt();
    int splitVersion = in.readInt();
    for (int subtask = 0; subtask < subtasks; subtask++) {
      in.readInt(); // the subtask's number
      for (int left = in.readInt(); left > 0; left--) {
        state.add(splits.deserialize(splitVersion, readBytes(in)), ASSIGNED);
      }
    }
    return state.build(true, false);
  }

  static EnumeratorState readVersion1(DataInputStream in) throws IOException {
    StateBuilder state = new StateBuilder();
    for (int left = in.readInt(); left > 0; left--) {
      state.add(readPartition(in), ASSIGNED);
    }
    return state.build(true, false);
  }

  static EnumeratorState readVersion2(DataInputStream in) throws IOException {
    StateBuilder state = new StateBuilder();
    for (int left = in.readInt(); left > 0; left--) {
      state.add(readPartition(in), in.readInt());
    }
    return state.build(in.readBoolean(), false);
  }

  /** Bytes with their length before them; a length that cannot be is not allocated. */
  static byte[] readBytes(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > in.available()) {
      throw new EOFException(length + " bytes are said to follow, there are " + in.available());
    }
    return in.readNBytes(length);
  }

  private static KorpseSplit readPartition(DataInputStream in) throws IOException {
    TopicPartition partition = new TopicPartition(in.readUTF(), in.readInt());
    return KorpseSplit.ofPeer(partition, NOT_STORED);
  }
}
