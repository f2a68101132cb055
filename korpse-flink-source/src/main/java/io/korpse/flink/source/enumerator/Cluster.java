package io.korpse.flink.source.enumerator;

import io.korpse.offsets.OffsetRule;
import io.korpse.offsets.Resolution;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * What the enumerator asks of Kafka. All methods block and are called on the worker thread, one at
 * a time, except {@link #close}.
 */
interface Cluster extends AutoCloseable {

  /** The partitions that there are now of what is subscribed to. */
  Discovered discover() throws Exception;

  /** Those of the partitions that there are now, each with the id of its topic. */
  Map<TopicPartition, Uuid> existing(Set<TopicPartition> partitions) throws Exception;

  /** The offsets of partitions by a rule, each for itself. */
  Map<TopicPartition, Resolution> resolve(Collection<TopicPartition> partitions, OffsetRule rule);

  @Override
  void close();
}
