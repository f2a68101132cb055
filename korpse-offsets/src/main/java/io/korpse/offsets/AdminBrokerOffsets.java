package io.korpse.offsets;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** {@link BrokerOffsets} by Admin. */
final class AdminBrokerOffsets implements BrokerOffsets {

  private final Admin admin;

  AdminBrokerOffsets(Admin admin) {
    this.admin = admin;
  }

  @Override
  public Map<TopicPartition, CompletableFuture<Found>> list(
      Map<TopicPartition, OffsetSpec> specs, IsolationLevel isolation, Duration timeout) {
    ListOffsetsResult result =
        admin.listOffsets(specs, new ListOffsetsOptions(isolation).timeoutMs(millis(timeout)));
    Map<TopicPartition, CompletableFuture<Found>> futures = new HashMap<>();
    for (TopicPartition partition : specs.keySet()) {
      futures.put(
          partition,
          result
              .partitionResult(partition)
              .thenApply(
                  info -> new Found(info.offset(), info.leaderEpoch().orElse(Position.NO_EPOCH)))
              .toCompletionStage()
              .toCompletableFuture());
    }
    return futures;
  }

  @Override
  public CompletableFuture<Map<TopicPartition, OffsetAndMetadata>> committed(
      String groupId, Collection<TopicPartition> partitions, Duration timeout) {
    return admin
        .listConsumerGroupOffsets(
            Map.of(
                groupId,
                new ListConsumerGroupOffsetsSpec().topicPartitions(List.copyOf(partitions))),
            new ListConsumerGroupOffsetsOptions().requireStable(true).timeoutMs(millis(timeout)))
        .partitionsToOffsetAndMetadata(groupId)
        .toCompletionStage()
        .toCompletableFuture();
  }

  @Override
  public CompletableFuture<Map<TopicPartition, String>> diagnose(
      Collection<TopicPartition> partitions, Duration timeout) {
    TreeSet<String> topics = new TreeSet<>();
    partitions.forEach(partition -> topics.add(partition.topic()));
    Map<String, KafkaFuture<TopicDescription>> described =
        admin
            .describeTopics(topics, new DescribeTopicsOptions().timeoutMs(millis(timeout)))
            .topicNameValues();
    return CompletableFuture.allOf(
            described.values().stream()
                .map(future -> future.toCompletionStage().toCompletableFuture())
                .map(future -> future.exceptionally(e -> null))
                .toArray(CompletableFuture<?>[]::new))
        .thenApply(
            done -> {
              Map<TopicPartition, String> findings = new HashMap<>();
              for (TopicPartition partition : partitions) {
                String finding = finding(partition, described.get(partition.topic()));
                if (finding != null) {
                  findings.put(partition, finding);
                }
              }
              return findings;
            });
  }

  private static String finding(TopicPartition partition, KafkaFuture<TopicDescription> topic) {
    TopicDescription description;
    try {
      description = topic.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    } catch (java.util.concurrent.ExecutionException e) {
      return e.getCause() instanceof UnknownTopicOrPartitionException
          ? "topic " + partition.topic() + " does not exist"
          : "topic " + partition.topic() + " cannot be described: " + e.getCause().getMessage();
    }
    for (TopicPartitionInfo info : description.partitions()) {
      if (info.partition() == partition.partition()) {
        return info.leader() == null || info.leader().isEmpty()
            ? "no leader; its replicas are on brokers "
                + info.replicas().stream().map(node -> node.id()).toList()
            : null;
      }
    }
    return "topic "
        + partition.topic()
        + " has only "
        + description.partitions().size()
        + " partitions";
  }

  private static int millis(Duration timeout) {
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, timeout.toMillis()));
  }
}
