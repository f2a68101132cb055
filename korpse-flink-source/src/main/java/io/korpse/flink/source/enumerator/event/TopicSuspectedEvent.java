package io.korpse.flink.source.enumerator.event;

import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.kafka.common.TopicPartition;

/**
 * Reader to enumerator: the topic of this partition seems to be gone, or to be another one by now.
 * The enumerator looks at once, whatever its interval, and does what the user chose.
 */
public final class TopicSuspectedEvent implements SourceEvent {

  private static final long serialVersionUID = 1L;

  private final TopicPartition partition;

  /** An event about a partition whose offset is lost. */
  public TopicSuspectedEvent(TopicPartition partition) {
    this.partition = partition;
  }

  /** The partition. */
  public TopicPartition partition() {
    return partition;
  }

  @Override
  public String toString() {
    return "TopicSuspected[" + partition + "]";
  }
}
