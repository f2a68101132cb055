package io.korpse.flink.source.enumerator.event;

import java.util.List;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.kafka.common.TopicPartition;

/**
 * Enumerator to every reader: these partitions are no longer read. A reader that has such a split
 * drops what is buffered of it, reports it finished to Flink, and answers with a {@link
 * SplitsFinishedEvent}; the others ignore it.
 */
public final class SplitsRemovedEvent implements SourceEvent {

  private static final long serialVersionUID = 1L;

  private final List<TopicPartition> partitions;
  private final String reason;

  /**
   * An event that takes partitions away.
   *
   * @param reason for the log
   */
  public SplitsRemovedEvent(List<TopicPartition> partitions, String reason) {
    this.partitions = List.copyOf(partitions);
    this.reason = reason;
  }

  /** The partitions to leave. */
  public List<TopicPartition> partitions() {
    return partitions;
  }

  /** Why, for the log. */
  public String reason() {
    return reason;
  }

  @Override
  public String toString() {
    return "SplitsRemoved" + partitions;
  }
}
