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
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * Asks where the logs of new splits end, and whether their topics are still those that they were
 * read from: the enumerator would tell a second later, when records of another topic are emitted. A
 * partition without a leader has no answer before the time limit; the others do not wait for it.
 *
 * <p>Called on the fetcher thread; the rest happens on the threads of the Admin client.
 */
final class SplitInspector implements LogInspector {

  private static final int TIMEOUT_MILLIS = 5_000;

  /** How long those that are answered are kept for the rest, below what order waits for a split. */
  private static final int GRACE_MILLIS = 500;

  private static final CompletableFuture<Uuid> NO_ID = CompletableFuture.completedFuture(null);
  private static final LogEnd OF_ANOTHER_TOPIC = new LogEnd(-1, -1, true);

  private final Supplier<Admin> admin;
  private final IsolationLevel isolation;
  private final SplitStates states;

  SplitInspector(Supplier<Admin> admin, IsolationLevel isolation, SplitStates states) {
    this.admin = admin;
    this.isolation = isolation;
    this.states = states;
  }

  @Override
  public void inspect(
      Collection<TopicPartition> partitions, Consumer<Map<TopicPartition, LogEnd>> answers) {
    Admin client = admin.get();
    Map<TopicPartition, OffsetSpec> specs = new HashMap<>();
    partitions.forEach(partition -> specs.put(partition, OffsetSpec.latest()));
    ListOffsetsResult result =
        client.listOffsets(specs, new ListOffsetsOptions(isolation).timeoutMs(TIMEOUT_MILLIS));
    Map<String, CompletableFuture<Uuid>> ids = topicIds(client, partitions);
    Map<TopicPartition, CompletableFuture<LogEnd>> asked = new HashMap<>();
    for (TopicPartition partition : partitions) {
      asked.put(
          partition,
          result
              .partitionResult(partition)
              .toCompletionStage()
              .handle((info, failure) -> failure == null ? end(info) : LogEnd.UNKNOWN)
              .thenCombine(
                  ids.getOrDefault(partition.topic(), NO_ID),
                  (end, id) -> isAnother(id, partition) ? OF_ANOTHER_TOPIC : end)
              .toCompletableFuture());
    }
    CompletableFuture<?>[] each = asked.values().toArray(CompletableFuture<?>[]::new);
    CompletionStage<Void> all = CompletableFuture.allOf(each);
    all.whenComplete((done, failure) -> client.close());
    CompletionStage<Object> first = CompletableFuture.anyOf(each);
    CompletableFuture<Void> grace = new CompletableFuture<>();
    first.thenRun(() -> grace.completeOnTimeout(null, GRACE_MILLIS, TimeUnit.MILLISECONDS));
    all.thenRun(() -> grace.complete(null));
    CompletionStage<Void> enough = grace;
    enough.thenRun(() -> tell(asked, answers));
  }

  /** Those that are answered together, so that order among them holds; the others as they come. */
  private static void tell(
      Map<TopicPartition, CompletableFuture<LogEnd>> asked,
      Consumer<Map<TopicPartition, LogEnd>> answers) {
    Map<TopicPartition, LogEnd> known = new HashMap<>();
    Map<TopicPartition, CompletionStage<LogEnd>> late = new HashMap<>();
    asked.forEach(
        (partition, end) -> {
          if (end.isDone()) {
            known.put(partition, end.join());
          } else {
            late.put(partition, end);
          }
        });
    answers.accept(known);
    late.forEach((partition, end) -> end.thenAccept(at -> answers.accept(Map.of(partition, at))));
  }

  /**
   * The ids that the topics have now, of splits that know theirs. Also of those without a leader
   * epoch, such as an explicit start that a state holds unread: nothing else tells their topics.
   */
  private Map<String, CompletableFuture<Uuid>> topicIds(
      Admin client, Collection<TopicPartition> partitions) {
    Set<String> topics = new HashSet<>();
    for (TopicPartition partition : partitions) {
      if (knowsTopic(states.get(KorpseSplit.splitId(partition)))) {
        topics.add(partition.topic());
      }
    }
    Map<String, CompletableFuture<Uuid>> ids = new HashMap<>();
    if (!topics.isEmpty()) {
      client
          .describeTopics(topics, new DescribeTopicsOptions().timeoutMs(TIMEOUT_MILLIS))
          .topicNameValues()
          .forEach(
              (topic, answer) ->
                  ids.put(
                      topic,
                      answer
                          .toCompletionStage()
                          .handle((told, failure) -> failure == null ? told.topicId() : null)
                          .toCompletableFuture()));
    }
    return ids;
  }

  private static boolean knowsTopic(@Nullable KorpseSplitState state) {
    return state != null && !state.topicId().equals(Uuid.ZERO_UUID);
  }

  /** Whether the id that was told is known, and not that which the split was read from. */
  private boolean isAnother(@Nullable Uuid now, TopicPartition partition) {
    KorpseSplitState state = states.get(KorpseSplit.splitId(partition));
    return now != null
        && !now.equals(Uuid.ZERO_UUID)
        && knowsTopic(state)
        && !now.equals(state.topicId());
  }

  private static LogEnd end(ListOffsetsResult.ListOffsetsResultInfo info) {
    return new LogEnd(info.offset(), info.leaderEpoch().orElse(-1));
  }
}
