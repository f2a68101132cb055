package io.korpse.flink.source.enumerator;

import io.korpse.offsets.OffsetRule;
import io.korpse.offsets.Resolution;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * What the enumerator asks of Kafka. All methods block and are called on the worker thread, one at
 * a time, except {@link #close}.
 */
interface Cluster extends AutoCloseable {

  /** The partitions that there are now. */
  Discovered discover() throws Exception;

  /** The offsets of partitions by a rule, each for itself. */
  Map<TopicPartition, Resolution> resolve(Collection<TopicPartition> partitions, OffsetRule rule);

  @Override
  void close();
}
