package io.korpse.offsets.commit;

import io.korpse.offsets.Position;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;

/**
 * The positions of checkpoints that are not complete yet. Thread-safe.
 *
 * <p>Holds at most two checkpoints, whatever fails and however many run at a time: the oldest and
 * the newest. When a third is added the one between goes: completing it would commit nothing that
 * the newest does not commit a moment later, and as the oldest stays there is always one that can
 * complete next.
 */
public final class CheckpointLedger {

  private final TreeMap<Long, Map<TopicPartition, Position>> pending = new TreeMap<>();

  /**
   * Keeps the positions of a checkpoint that has been started. The map is not copied and changes.
   */
  public synchronized void snapshot(long checkpointId, Map<TopicPartition, Position> positions) {
    pending.put(checkpointId, positions);
    if (pending.size() > 2) {
      pending.remove(pending.lowerKey(pending.lastKey()));
    }
  }

  /**
   * The positions that a complete checkpoint has made durable: its own, or those of the newest
   * older one that is kept. All up to it are forgotten. Empty if none is kept (completed before,
   * aborted, or taken before the restore).
   */
  public synchronized Optional<Map<TopicPartition, Position>> complete(long checkpointId) {
    Map.Entry<Long, Map<TopicPartition, Position>> durable = pending.floorEntry(checkpointId);
    pending.headMap(checkpointId, true).clear();
    return Optional.ofNullable(durable).map(Map.Entry::getValue);
  }

  /** Forgets a checkpoint that failed. */
  public synchronized void abort(long checkpointId) {
    pending.remove(checkpointId);
  }

  /** Forgets what the checkpoints hold of a partition whose log no longer has it. */
  public synchronized void forget(TopicPartition partition) {
    pending.values().forEach(positions -> positions.remove(partition));
  }

  /** How many checkpoints are kept. */
  public synchronized int size() {
    return pending.size();
  }
}
