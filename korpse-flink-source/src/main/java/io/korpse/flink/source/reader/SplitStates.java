package io.korpse.flink.source.reader;

import io.korpse.flink.source.reader.proxy.EndListener;
import io.korpse.flink.source.reader.proxy.PositionListener;
import io.korpse.flink.source.reader.proxy.SplitListeners;
import io.korpse.flink.source.reader.proxy.SplitStats;
import io.korpse.offsets.Position;
import io.korpse.offsets.lag.PartitionLag;
import java.time.Clock;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;

/**
 * The state of each split of a reader, for those who look at it from outside the task thread: the
 * proxy when it takes a split over, and the committer in the mode without checkpoints.
 */
final class SplitStates implements SplitListeners {

  private final Map<String, KorpseSplitState> states = new ConcurrentHashMap<>();
  private final Clock clock;

  SplitStates(Clock clock) {
    this.clock = clock;
  }

  void put(String splitId, KorpseSplitState state) {
    states.put(splitId, state);
  }

  void remove(String splitId) {
    states.remove(splitId);
  }

  KorpseSplitState get(String splitId) {
    return states.get(splitId);
  }

  void clear() {
    states.clear();
  }

  Collection<KorpseSplitState> all() {
    return states.values();
  }

  Map<TopicPartition, Position> positions() {
    Map<TopicPartition, Position> positions = new HashMap<>();
    for (KorpseSplitState state : states.values()) {
      Position position = state.position();
      if (position != null) {
        positions.put(state.partition(), position);
      }
    }
    return positions;
  }

  @Override
  public PositionListener position(String splitId) {
    return states.get(splitId);
  }

  @Override
  public SplitStats stats(String splitId) {
    return states.get(splitId).stats();
  }

  @Override
  public EndListener end(String splitId) {
    PartitionLag lag = states.get(splitId).lag();
    return lag == null ? end -> {} : end -> lag.observeEnd(end, clock.millis());
  }
}
