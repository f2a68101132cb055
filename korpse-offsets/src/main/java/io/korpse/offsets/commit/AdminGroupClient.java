package io.korpse.offsets.commit;

import io.korpse.offsets.ErrorTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.AlterConsumerGroupOffsetsResult;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.protocol.Errors;

/** {@link GroupClient} by Admin. */
final class AdminGroupClient implements GroupClient {

  private final Admin admin;
  private final String groupId;

  AdminGroupClient(Admin admin, String groupId) {
    this.admin = admin;
    this.groupId = groupId;
  }

  @Override
  public CompletableFuture<Map<TopicPartition, Errors>> commit(
      Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
    AlterConsumerGroupOffsetsResult result =
        admin.alterConsumerGroupOffsets(
            groupId, offsets, new AlterConsumerGroupOffsetsOptions().timeoutMs(millis(timeout)));
    Map<TopicPartition, Errors> outcome = new ConcurrentHashMap<>();
    List<CompletableFuture<?>> partitions = new ArrayList<>(offsets.size());
    CompletableFuture<Void> whole = result.all().toCompletionStage().toCompletableFuture();
    for (TopicPartition partition : offsets.keySet()) {
      partitions.add(
          result
              .partitionResult(partition)
              .toCompletionStage()
              .toCompletableFuture()
              .handle(
                  (nothing, failure) ->
                      outcome.put(
                          partition,
                          failure == null ? Errors.NONE : Errors.forException(failure))));
    }
    // all() fails for one partition's error as well as for a request that got no answer; only in
    // the second case do the partitions tell nothing, and the exception with its text is kept.
    return CompletableFuture.allOf(partitions.toArray(new CompletableFuture<?>[0]))
        .thenCombine(
            whole.handle((nothing, failure) -> failure == null ? null : ErrorTable.cause(failure)),
            (nothing, failure) -> {
              if (failure instanceof org.apache.kafka.common.errors.TimeoutException timedOut) {
                throw timedOut;
              }
              return outcome;
            });
  }

  @Override
  public CompletableFuture<Map<TopicPartition, OffsetAndMetadata>> committed(
      Collection<TopicPartition> partitions, Duration timeout) {
    return admin
        .listConsumerGroupOffsets(
            Map.of(
                groupId,
                new ListConsumerGroupOffsetsSpec().topicPartitions(List.copyOf(partitions))),
            new ListConsumerGroupOffsetsOptions().timeoutMs(millis(timeout)))
        .partitionsToOffsetAndMetadata(groupId)
        .toCompletionStage()
        .toCompletableFuture();
  }

  @Override
  public CompletableFuture<List<String>> members(Duration timeout) {
    return admin
        .describeConsumerGroups(
            List.of(groupId), new DescribeConsumerGroupsOptions().timeoutMs(millis(timeout)))
        .describedGroups()
        .get(groupId)
        .thenApply(
            group ->
                group.members().stream()
                    .map(member -> member.clientId() + " at " + member.host())
                    .sorted()
                    .toList())
        .toCompletionStage()
        .toCompletableFuture();
  }

  @Override
  public CompletableFuture<Set<String>> missing(Collection<String> topics, Duration timeout) {
    Set<String> missing = ConcurrentHashMap.newKeySet();
    List<CompletableFuture<?>> described = new ArrayList<>();
    admin
        .describeTopics(
            new HashSet<>(topics), new DescribeTopicsOptions().timeoutMs(millis(timeout)))
        .topicNameValues()
        .forEach(
            (topic, description) ->
                described.add(
                    description
                        .toCompletionStage()
                        .toCompletableFuture()
                        .handle(
                            (found, failure) ->
                                failure != null
                                    && ErrorTable.cause(failure)
                                        instanceof UnknownTopicOrPartitionException
                                    && missing.add(topic))));
    return CompletableFuture.allOf(described.toArray(new CompletableFuture<?>[0]))
        .thenApply(nothing -> missing);
  }

  @Override
  public void close() {
    admin.close(Duration.ZERO);
  }

  private static int millis(Duration timeout) {
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, timeout.toMillis()));
  }
}
