package io.korpse.flink.jobs.chaos;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.flink.source.split.KorpseSplitSerializer;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.kafka.common.TopicPartition;

/**
 * The positions that completed checkpoints and savepoints hold, read from their files while the job
 * runs. Not thread-safe.
 */
final class CheckpointPositions {

  /** Job, checkpoint, file. */
  private static final int DEPTH = 3;

  private final List<Path> directories;
  private final Set<Path> read = new HashSet<>();
  private final Map<TopicPartition, Long> highest = new HashMap<>();
  private final Map<Long, Map<TopicPartition, Long>> byCheckpoint = new HashMap<>();

  /**
   * Positions of the checkpoints below the directories.
   *
   * @param directories where checkpoints and savepoints are written
   */
  CheckpointPositions(List<Path> directories) {
    this.directories = directories;
  }

  /** Reads what was completed since the last time; whether the storage could be read. */
  boolean refresh() {
    for (Path directory : directories) {
      if (!Files.isDirectory(directory)) {
        return false;
      }
      try (Stream<Path> files =
          Files.find(directory, DEPTH, (file, a) -> file.endsWith("_metadata"))) {
        files.filter(file -> !read.contains(file)).forEach(this::read);
      } catch (IOException | UncheckedIOException e) {
        // Checkpoints are deleted while the directory is walked through: the next look will do.
        return false;
      }
    }
    return true;
  }

  private void read(Path file) {
    try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
      CheckpointMetadata contents =
          Checkpoints.loadCheckpointMetadata(
              in, CheckpointPositions.class.getClassLoader(), file.getParent().toString());
      Map<TopicPartition, Long> positions = new HashMap<>();
      for (OperatorState operator : contents.getOperatorStates()) {
        for (OperatorSubtaskState subtask : operator.getStates()) {
          for (OperatorStateHandle handle : subtask.getManagedOperatorState()) {
            addSplits(handle, positions);
          }
        }
      }
      add(contents.getCheckpointId(), positions);
      read.add(file);
    } catch (NoSuchFileException e) {
      // Deleted meanwhile, as old checkpoints are.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Takes what one checkpoint holds. */
  void add(long checkpointId, Map<TopicPartition, Long> positions) {
    positions.forEach((partition, offset) -> highest.merge(partition, offset, Math::max));
    byCheckpoint.computeIfAbsent(checkpointId, id -> new HashMap<>()).putAll(positions);
  }

  private static void addSplits(OperatorStateHandle handle, Map<TopicPartition, Long> positions)
      throws IOException {
    OperatorStateHandle.StateMetaInfo state =
        handle.getStateNameToPartitionOffsets().get("SourceReaderState");
    if (state == null) {
      return;
    }
    try (FSDataInputStream stream = handle.openInputStream()) {
      for (long offset : state.getOffsets()) {
        stream.seek(offset);
        DataInputStream in = new DataInputStream(stream);
        in.readInt(); // length of the element
        int version = in.readInt();
        KorpseSplit split =
            new KorpseSplitSerializer().deserialize(version, in.readNBytes(in.readInt()));
        positions.put(split.partition(), split.position().offset());
      }
    }
  }

  /** The highest position that any completed checkpoint holds; -1 when none does. */
  long highest(TopicPartition partition) {
    return highest.getOrDefault(partition, -1L);
  }

  /** Whether the checkpoint is known and holds exactly this position. */
  boolean holds(long checkpointId, TopicPartition partition, long offset) {
    Long held = byCheckpoint.getOrDefault(checkpointId, Map.of()).get(partition);
    return held != null && held == offset;
  }
}
