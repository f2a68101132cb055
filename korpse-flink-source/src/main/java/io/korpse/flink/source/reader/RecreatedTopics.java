package io.korpse.flink.source.reader;

import io.korpse.flink.source.reader.proxy.LossHandler;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Tells lost offsets from lost topics. When a topic was deleted, or deleted and created again, its
 * offsets mean nothing, and what to do is a matter of {@code onTopicRemoved}, not of {@code
 * onDataLoss}. So the enumerator is told, and the split stays paused until it is taken away; the
 * job fails if that does not happen in time.
 *
 * <p>Called on the fetcher thread; the rest happens on the threads of the Admin client.
 */
final class RecreatedTopics implements LossHandler {

  /** Gives the id that a topic has now, and fails when there is none. */
  interface TopicIds {
    CompletionStage<Uuid> idOf(String topic);
  }

  private static final int ATTEMPTS = 60;

  private final LossHandler next;
  private final TopicIds ids;
  private final SplitStates states;
  private final Consumer<TopicPartition> suspicions;
  private final Executor later;

  RecreatedTopics(
      LossHandler next,
      TopicIds ids,
      SplitStates states,
      Consumer<TopicPartition> suspicions,
      Executor later) {
    this.next = next;
    this.ids = ids;
    this.states = states;
    this.suspicions = suspicions;
    this.later = later;
  }

  /** What readers use: ids from the cluster, a second between two looks. */
  static RecreatedTopics of(
      LossHandler next,
      Supplier<Admin> admin,
      SplitStates states,
      Consumer<TopicPartition> suspicions) {
    return new RecreatedTopics(
        next,
        topic -> describe(admin.get(), topic),
        states,
        suspicions,
        CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS));
  }

  private static CompletionStage<Uuid> describe(Admin client, String topic) {
    return client
        .describeTopics(List.of(topic))
        .topicNameValues()
        .get(topic)
        .toCompletionStage()
        .thenApply(TopicDescription::topicId)
        .whenComplete((id, failure) -> client.close());
  }

  @Override
  public CompletionStage<Position> resolve(
      TopicPartition partition, long offset, OptionalLong divergent) {
    KorpseSplitState state = states.get(KorpseSplit.splitId(partition));
    if (state == null || state.topicId().equals(Uuid.ZERO_UUID)) {
      return next.resolve(partition, offset, divergent);
    }
    return look(state, state.topicId(), 1)
        .thenCompose(same -> next.resolve(partition, offset, divergent));
  }

  /** Completes when the topic turns out to be the known one, and never when it is taken away. */
  private CompletionStage<Void> look(KorpseSplitState state, Uuid known, int attempt) {
    TopicPartition partition = state.partition();
    CompletableFuture<Void> same = new CompletableFuture<>();
    if (states.get(KorpseSplit.splitId(partition)) != state) {
      // Taken away, and maybe the split of the new topic is in its place, with the same id. Or the
      // reader is closed: then even the classes of a client may be gone.
      return same;
    }
    CompletionStage<Uuid> answer;
    try {
      answer = ids.idOf(partition.topic());
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    answer.whenComplete(
        (id, failure) -> {
          if (failure == null && (id.equals(known) || id.equals(Uuid.ZERO_UUID))) {
            same.complete(null);
          } else if (failure != null && !isMissing(failure)) {
            same.completeExceptionally(failure);
          } else if (attempt > ATTEMPTS) {
            same.completeExceptionally(
                new DataLossException(
                    "The topic of "
                        + partition
                        + " was deleted"
                        + (failure == null ? " and created again" : "")
                        + ", and the enumerator has not taken the split away"));
          } else {
            suspicions.accept(partition);
            later.execute(
                () ->
                    look(state, known, attempt + 1)
                        .whenComplete((ignored, error) -> pass(same, error)));
          }
        });
    return same;
  }

  private static void pass(CompletableFuture<Void> to, Throwable error) {
    if (error == null) {
      to.complete(null);
    } else {
      to.completeExceptionally(error);
    }
  }

  private static boolean isMissing(Throwable failure) {
    for (Throwable error = failure; error != null; error = error.getCause()) {
      if (error instanceof UnknownTopicOrPartitionException) {
        return true;
      }
    }
    return false;
  }
}
