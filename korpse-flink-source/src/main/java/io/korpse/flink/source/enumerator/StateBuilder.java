package io.korpse.flink.source.enumerator;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.flink.source.split.PeerOffsets;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/** Sorts splits with the peer's status into the parts of an {@link EnumeratorState}. */
final class StateBuilder {

  private final Map<TopicPartition, Uuid> given = new HashMap<>();
  private final List<KorpseSplit> ready = new ArrayList<>();
  private final Set<TopicPartition> waiting = new HashSet<>();

  void add(KorpseSplit split, int status) throws IOException {
    if (status == PeerEnumeratorState.ASSIGNED) {
      given.put(split.partition(), split.topicId());
    } else if (status != PeerEnumeratorState.UNASSIGNED) {
      throw new IOException(
          "The enumerator state holds " + split + " with the unknown status " + status);
    } else if (split.unresolved().isPresent()
        && split.unresolved().get().start() == PeerOffsets.NOT_STORED) {
      waiting.add(split.partition());
    } else {
      ready.add(split);
    }
  }

  EnumeratorState build(boolean discovered, boolean complete) {
    return new EnumeratorState(given, ready, waiting, discovered, complete);
  }
}
