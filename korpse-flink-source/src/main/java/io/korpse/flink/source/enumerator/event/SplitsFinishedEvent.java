package io.korpse.flink.source.enumerator.event;

import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.kafka.common.TopicPartition;

/**
 * Reader to enumerator: these splits are finished, at their stop offset or because they were
 * removed, and the reader no longer has them.
 */
public final class SplitsFinishedEvent implements SourceEvent {

  private static final long serialVersionUID = 1L;

  private final List<TopicPartition> partitions;

  /** An event that says which splits are finished. */
  public SplitsFinishedEvent(Collection<TopicPartition> partitions) {
    this.partitions = List.copyOf(partitions);
  }

  /** The finished partitions. */
  public List<TopicPartition> partitions() {
    return partitions;
  }

  @Override
  public String toString() {
    return "SplitsFinished" + partitions;
  }
}
