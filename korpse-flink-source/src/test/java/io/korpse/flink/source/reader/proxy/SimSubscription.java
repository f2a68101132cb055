package io.korpse.flink.source.reader.proxy;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/** The assigned partitions in the order in which the client asks for them. */
final class SimSubscription {

  private final Map<TopicPartition, SimState> assignment = new LinkedHashMap<>();

  /** Keeps the state of what stays; what is new has no position and is not paused. */
  void assign(Collection<TopicPartition> partitions) {
    Set<TopicPartition> wanted = new HashSet<>(partitions);
    if (wanted.equals(assignment.keySet())) {
      return;
    }
    Map<TopicPartition, SimState> states = new HashMap<>();
    for (TopicPartition id : wanted) {
      SimState known = assignment.get(id);
      states.put(id, known == null ? new SimState() : known);
    }
    Map<String, List<TopicPartition>> byTopic = new LinkedHashMap<>();
    for (TopicPartition id : states.keySet()) {
      byTopic.computeIfAbsent(id.topic(), topic -> new ArrayList<>()).add(id);
    }
    assignment.clear();
    byTopic.values().forEach(ids -> ids.forEach(id -> assignment.put(id, states.get(id))));
  }

  /** The state of an assigned partition; it is an error to ask for another. */
  SimState state(TopicPartition id) {
    SimState state = assignment.get(id);
    if (state == null) {
      throw new IllegalStateException("No current assignment for partition " + id);
    }
    return state;
  }

  SimState stateOrNull(TopicPartition id) {
    return assignment.get(id);
  }

  Map<TopicPartition, SimState> states() {
    return assignment;
  }

  boolean isFetchable(TopicPartition id) {
    SimState state = assignment.get(id);
    return state != null && state.isFetchable();
  }

  boolean isPaused(TopicPartition id) {
    SimState state = assignment.get(id);
    return state != null && state.paused;
  }

  Set<TopicPartition> paused() {
    Set<TopicPartition> paused = new LinkedHashSet<>();
    assignment.forEach(
        (id, state) -> {
          if (state.paused) {
            paused.add(id);
          }
        });
    return paused;
  }

  void moveToEnd(TopicPartition id) {
    SimState state = assignment.remove(id);
    if (state != null) {
      assignment.put(id, state);
    }
  }
}
