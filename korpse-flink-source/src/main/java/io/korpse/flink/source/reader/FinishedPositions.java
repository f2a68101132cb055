package io.korpse.flink.source.reader;

import io.korpse.offsets.Position;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * Where finished splits ended, until a complete checkpoint has that. At most one position for each
 * partition, whatever becomes of the checkpoints. Task thread.
 */
final class FinishedPositions {

  /** An end, and the first checkpoint that has it: all later ones have it too. */
  private record End(Position position, long since) {}

  private static final long NONE_YET = Long.MAX_VALUE;

  private final Map<TopicPartition, End> ends = new HashMap<>();

  void put(TopicPartition partition, Position position) {
    ends.put(partition, new End(position, NONE_YET));
  }

  /** The partition is read again, or nobody will ask. */
  void remove(TopicPartition partition) {
    ends.remove(partition);
  }

  void clear() {
    ends.clear();
  }

  /** Adds the ends to the positions of splits that are still read. */
  void addTo(Map<TopicPartition, Position> live) {
    ends.forEach((partition, end) -> live.putIfAbsent(partition, end.position()));
  }

  /** Adds the ends to what a checkpoint has. */
  void snapshot(long checkpointId, Map<TopicPartition, Position> live) {
    addTo(live);
    ends.replaceAll(
        (partition, end) -> end.since() == NONE_YET ? new End(end.position(), checkpointId) : end);
  }

  /** Forgets what a complete checkpoint has. */
  void complete(long checkpointId) {
    ends.values().removeIf(end -> end.since() <= checkpointId);
  }

  int size() {
    return ends.size();
  }
}
