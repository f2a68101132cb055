package io.korpse.flink.source.reader;

import io.korpse.flink.source.reader.proxy.LogInspector;
import io.korpse.flink.source.split.KorpseSplit;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * Asks where the logs of new splits end, and whether their topics are still those that they were
 * read from: the enumerator would tell a second later, when records of another topic are emitted.
 *
 * <p>Called on the fetcher thread; the rest happens on the threads of the Admin client.
 */
final class SplitInspector implements LogInspector {

  private static final int TIMEOUT_MILLIS = 5_000;

  private final Supplier<Admin> admin;
  private final IsolationLevel isolation;
  private final SplitStates states;

  SplitInspector(Supplier<Admin> admin, IsolationLevel isolation, SplitStates states) {
    this.admin = admin;
    this.isolation = isolation;
    this.states = states;
  }

  @Override
  public CompletionStage<Map<TopicPartition, LogEnd>> inspect(
      Collection<TopicPartition> partitions) {
    Admin client = admin.get();
    Map<TopicPartition, OffsetSpec> specs = new HashMap<>();
    partitions.forEach(partition -> specs.put(partition, OffsetSpec.latest()));
    ListOffsetsResult result =
        client.listOffsets(specs, new ListOffsetsOptions(isolation).timeoutMs(TIMEOUT_MILLIS));
    Map<TopicPartition, LogEnd> ends = new ConcurrentHashMap<>();
    CompletableFuture<?>[] all =
        partitions.stream()
            .map(
                partition ->
                    result
                        .partitionResult(partition)
                        .toCompletionStage()
                        .handle((info, failure) -> failure == null ? info : null)
                        .thenAccept(info -> keep(ends, partition, info))
                        .toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(all)
        .thenCombine(topicIds(client, partitions), (done, ids) -> compared(ends, ids, partitions))
        .whenComplete((answer, failure) -> client.close());
  }

  /**
   * The ids that the topics have now, of splits that know theirs. Also of those without a leader
   * epoch, such as an explicit start that a state holds unread: nothing else tells their topics.
   */
  private CompletableFuture<Map<String, Uuid>> topicIds(
      Admin client, Collection<TopicPartition> partitions) {
    Set<String> topics = new HashSet<>();
    for (TopicPartition partition : partitions) {
      KorpseSplitState state = states.get(KorpseSplit.splitId(partition));
      if (knowsTopic(state)) {
        topics.add(partition.topic());
      }
    }
    Map<String, Uuid> ids = new ConcurrentHashMap<>();
    if (topics.isEmpty()) {
      return CompletableFuture.completedFuture(ids);
    }
    Map<String, KafkaFuture<TopicDescription>> answers =
        client
            .describeTopics(topics, new DescribeTopicsOptions().timeoutMs(TIMEOUT_MILLIS))
            .topicNameValues();
    return CompletableFuture.allOf(
            answers.entrySet().stream()
                .map(
                    answer ->
                        answer
                            .getValue()
                            .toCompletionStage()
                            .handle((topic, failure) -> failure == null ? topic.topicId() : null)
                            .thenAccept(id -> keep(ids, answer.getKey(), id))
                            .toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new))
        .thenApply(done -> ids);
  }

  private static boolean knowsTopic(@Nullable KorpseSplitState state) {
    return state != null && !state.topicId().equals(Uuid.ZERO_UUID);
  }

  private static void keep(Map<String, Uuid> ids, String topic, @Nullable Uuid id) {
    if (id != null && !id.equals(Uuid.ZERO_UUID)) {
      ids.put(topic, id);
    }
  }

  private Map<TopicPartition, LogEnd> compared(
      Map<TopicPartition, LogEnd> ends,
      Map<String, Uuid> ids,
      Collection<TopicPartition> partitions) {
    Map<TopicPartition, LogEnd> compared = new HashMap<>(ends);
    for (TopicPartition partition : partitions) {
      Uuid now = ids.get(partition.topic());
      KorpseSplitState state = states.get(KorpseSplit.splitId(partition));
      if (now != null && knowsTopic(state) && !now.equals(state.topicId())) {
        compared.put(partition, new LogEnd(-1, -1, true));
      }
    }
    return compared;
  }

  private static void keep(
      Map<TopicPartition, LogEnd> ends,
      TopicPartition partition,
      ListOffsetsResult.ListOffsetsResultInfo info) {
    if (info != null) {
      ends.put(partition, new LogEnd(info.offset(), info.leaderEpoch().orElse(-1)));
    }
  }
}
