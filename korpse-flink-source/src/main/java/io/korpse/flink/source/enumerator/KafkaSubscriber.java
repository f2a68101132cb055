package io.korpse.flink.source.enumerator;

import java.io.Serializable;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;

/**
 * The user's own choice of partitions. Called on a worker thread of the JobManager, never by two
 * threads at once; may block.
 */
@FunctionalInterface
public interface KafkaSubscriber extends Serializable {

  /**
   * Called once before the first use.
   *
   * @param kafka the Kafka configuration of the source, a copy
   */
  default void open(Properties kafka) throws Exception {}

  /**
   * The partitions to read now. One that was given before and no longer is leaves the source; one
   * that is given and does not exist is a removed topic. An exception counts as a failed discovery.
   *
   * @param admin must not be closed
   */
  Set<TopicPartition> getSubscribedTopicPartitions(Admin admin) throws Exception;

  /** Called once after the last use. */
  default void close() throws Exception {}
}
