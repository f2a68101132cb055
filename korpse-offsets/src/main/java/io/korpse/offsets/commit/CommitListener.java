package io.korpse.offsets.commit;

import io.korpse.offsets.Position;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** Told by the committer's thread; must not block. What it throws is logged and ignored. */
public interface CommitListener {

  /** These positions are in the group now. */
  default void committed(Map<TopicPartition, Position> positions) {}

  /** The state changed; called once per change. */
  default void stateChanged(CommitState from, CommitState to, String reason) {}
}
