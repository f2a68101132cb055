package io.korpse.flink.source.testing;

import io.korpse.flink.source.enumerator.EnumeratorState;
import io.korpse.flink.source.enumerator.EnumeratorStateSerializer;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.flink.source.split.KorpseSplitSerializer;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.OperatorStateHandle;

/**
 * The splits of the one source in a savepoint, whoever wrote it.
 *
 * @param readers what the readers held
 * @param enumerator what the enumerator held
 */
public record SavepointContents(List<KorpseSplit> readers, EnumeratorState enumerator) {

  /** Reads a savepoint in a directory. */
  public static SavepointContents read(String savepoint) throws IOException {
    Path metadata = Path.of(URI.create(savepoint)).resolve("_metadata");
    List<KorpseSplit> readers = new ArrayList<>();
    EnumeratorState enumerator = null;
    try (DataInputStream in = new DataInputStream(Files.newInputStream(metadata))) {
      CheckpointMetadata contents =
          Checkpoints.loadCheckpointMetadata(
              in, SavepointContents.class.getClassLoader(), savepoint);
      for (OperatorState operator : contents.getOperatorStates()) {
        if (operator.getCoordinatorState() != null) {
          enumerator = enumerator(operator.getCoordinatorState().getData());
        }
        for (OperatorSubtaskState subtask : operator.getStates()) {
          for (OperatorStateHandle handle : subtask.getManagedOperatorState()) {
            readers.addAll(splits(handle));
          }
        }
      }
    }
    return new SavepointContents(readers, enumerator);
  }

  private static EnumeratorState enumerator(byte[] coordinator) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(coordinator));
    in.readInt(); // version of the coordinator's own envelope
    int version = in.readInt();
    return new EnumeratorStateSerializer().deserialize(version, in.readNBytes(in.readInt()));
  }

  private static List<KorpseSplit> splits(OperatorStateHandle handle) throws IOException {
    List<KorpseSplit> splits = new ArrayList<>();
    OperatorStateHandle.StateMetaInfo state =
        handle.getStateNameToPartitionOffsets().get("SourceReaderState");
    if (state == null) {
      return splits;
    }
    try (FSDataInputStream stream = handle.openInputStream()) {
      for (long offset : state.getOffsets()) {
        stream.seek(offset);
        DataInputStream in = new DataInputStream(stream);
        in.readInt(); // length of the element
        int version = in.readInt();
        splits.add(new KorpseSplitSerializer().deserialize(version, in.readNBytes(in.readInt())));
      }
    }
    return splits;
  }
}
