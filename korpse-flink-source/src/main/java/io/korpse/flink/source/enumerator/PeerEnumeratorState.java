package io.korpse.flink.source.enumerator;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.flink.source.split.KorpseSplitSerializer;
import io.korpse.flink.source.split.PeerOffsets;
import java.io.DataInputStream;
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
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        state.add(splits.deserialize(splitVersion, bytes), ASSIGNED);
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

  private static KorpseSplit readPartition(DataInputStream in) throws IOException {
    TopicPartition partition = new TopicPartition(in.readUTF(), in.readInt());
    return KorpseSplit.ofPeer(partition, NOT_STORED);
  }
}
