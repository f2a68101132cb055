package io.korpse.offsets.commit;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;

/** What committing asks of a group's coordinator; Admin in production, a fake in tests. */
interface GroupClient extends AutoCloseable {

  /** Commits from outside the group; each partition has a result of its own. */
  CompletableFuture<Map<TopicPartition, Errors>> commit(
      Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout);

  /** What is committed, null for nothing; a partition with an error is missing. */
  CompletableFuture<Map<TopicPartition, OffsetAndMetadata>> committed(
      Collection<TopicPartition> partitions, Duration timeout);

  /** The live members, each as client id and host. */
  CompletableFuture<List<String>> members(Duration timeout);

  /** Those of the topics that certainly do not exist. */
  CompletableFuture<Set<String>> missing(Collection<String> topics, Duration timeout);

  /** Gives the connections back at once. */
  @Override
  void close();
}
