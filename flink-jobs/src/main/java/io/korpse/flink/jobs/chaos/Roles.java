package io.korpse.flink.jobs.chaos;

import io.korpse.flink.jobs.local.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;

/** Which broker does what at the moment. Thread-safe. */
final class Roles {

  private final Admin admin;

  Roles(Admin admin) {
    this.admin = admin;
  }

  /** The node that leads one of the topic's partitions; any when none has a leader. */
  int leader(String topic, int choice) throws InterruptedException, ExecutionException {
    List<TopicPartitionInfo> partitions = describe(topic).partitions();
    Node leader = partitions.get(choice % partitions.size()).leader();
    return leader == null || leader.isEmpty() ? controller() : leader.id();
  }

  /** The node that keeps the group's offsets. */
  int coordinator(String group) throws InterruptedException, ExecutionException {
    return admin
        .describeConsumerGroups(List.of(group))
        .describedGroups()
        .get(group)
        .get()
        .coordinator()
        .id();
  }

  /** The active controller. */
  int controller() throws InterruptedException, ExecutionException {
    return admin.describeMetadataQuorum().quorumInfo().get().leaderId();
  }

  /** Waits until every partition of the topics has all of its replicas in sync. */
  void awaitAllInSync(List<String> topics, Duration atMost) {
    Await.until(
        "all replicas in sync",
        atMost,
        () -> {
          try {
            return admin.describeTopics(topics).allTopicNames().get().values().stream()
                .flatMap(topic -> topic.partitions().stream())
                .allMatch(partition -> partition.isr().size() == partition.replicas().size());
          } catch (ExecutionException e) {
            return false;
          }
        });
  }

  /** Waits until the topic has so many partitions, each with a leader that answers for it. */
  void awaitLed(String topic, int partitions, Duration atMost) {
    Map<TopicPartition, OffsetSpec> latest =
        IntStream.range(0, partitions)
            .boxed()
            .collect(Collectors.toMap(p -> new TopicPartition(topic, p), p -> OffsetSpec.latest()));
    Await.until(
        "the leaders of topic " + topic,
        atMost,
        () -> {
          try {
            return admin.listOffsets(latest).all().get().size() == partitions;
          } catch (ExecutionException e) {
            return false;
          }
        });
  }

  /** Number of partitions of the topic. */
  int partitions(String topic) throws InterruptedException, ExecutionException {
    return describe(topic).partitions().size();
  }

  private TopicDescription describe(String topic) throws InterruptedException, ExecutionException {
    return admin.describeTopics(List.of(topic)).topicNameValues().get(topic).get();
  }
}
