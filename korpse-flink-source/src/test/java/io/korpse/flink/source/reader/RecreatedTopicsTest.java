package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;

final class RecreatedTopicsTest {

  private static final TopicPartition PARTITION = new TopicPartition("t", 0);
  private static final Uuid ID = new Uuid(1, 1);
  private static final Uuid OTHER = new Uuid(2, 2);

  private final SplitStates states = new SplitStates(Clock.systemUTC());
  private final List<TopicPartition> suspected = new ArrayList<>();
  private final Queue<Runnable> later = new ArrayDeque<>();
  private int looks;
  private CompletionStage<Uuid> answer = CompletableFuture.completedFuture(ID);

  private final RecreatedTopics topics =
      new RecreatedTopics(
          (partition, offset, divergent) -> CompletableFuture.completedFuture(Position.of(77)),
          topic -> {
            looks++;
            return answer;
          },
          states,
          suspected::add,
          later::add);

  @Test
  void asks_the_data_loss_policy_when_the_topic_is_the_same() {
    read(ID);

    assertThat(resolve()).isCompletedWithValue(Position.of(77));
    assertThat(suspected).isEmpty();
  }

  @Test
  void asks_the_data_loss_policy_when_the_id_is_not_known() {
    read(Uuid.ZERO_UUID);
    answer = CompletableFuture.completedFuture(OTHER);

    assertThat(resolve()).isCompletedWithValue(Position.of(77));
  }

  @Test
  void leaves_a_topic_that_was_created_again_to_the_enumerator() {
    read(ID);
    answer = CompletableFuture.completedFuture(OTHER);

    CompletableFuture<Position> decision = resolve();

    assertThat(suspected).containsExactly(PARTITION);
    assertThat(decision).isNotDone();
    states.remove("t-0");
    later.remove().run();
    assertThat(later).isEmpty();
    assertThat(looks).as("looks, none after the split was gone").isEqualTo(1);
    assertThat(decision).isNotDone();
  }

  @Test
  void leaves_a_topic_that_is_gone_to_the_enumerator() {
    read(ID);
    answer = CompletableFuture.failedFuture(new UnknownTopicOrPartitionException("gone"));

    assertThat(resolve()).isNotDone();
    assertThat(suspected).containsExactly(PARTITION);
  }

  /** The split of the new topic has the same id, and may be there before the next look. */
  @Test
  void looks_no_more_when_the_split_of_the_new_topic_is_in_its_place() {
    read(ID);
    answer = CompletableFuture.completedFuture(OTHER);
    CompletableFuture<Position> decision = resolve();
    states.remove("t-0");
    read(OTHER);

    while (!later.isEmpty()) {
      later.remove().run();
    }

    assertThat(looks).isEqualTo(1);
    assertThat(suspected).as("not the new topic").hasSize(1);
    assertThat(decision).isNotDone();
  }

  @Test
  void goes_on_when_the_topic_turns_out_to_be_the_same() {
    read(ID);
    answer = CompletableFuture.failedFuture(new UnknownTopicOrPartitionException("not yet known"));
    CompletableFuture<Position> decision = resolve();

    answer = CompletableFuture.completedFuture(ID);
    later.remove().run();

    assertThat(decision).isCompletedWithValue(Position.of(77));
  }

  @Test
  void fails_when_nobody_takes_the_split_away() {
    read(ID);
    answer = CompletableFuture.completedFuture(OTHER);
    CompletableFuture<Position> decision = resolve();

    while (!later.isEmpty()) {
      later.remove().run();
    }

    assertThatThrownBy(decision::join)
        .hasCauseInstanceOf(DataLossException.class)
        .hasMessageContaining("created again")
        .hasMessageContaining("t-0");
  }

  @Test
  void fails_with_what_the_broker_says_otherwise() {
    read(ID);
    answer = CompletableFuture.failedFuture(new TopicAuthorizationException("t"));

    assertThatThrownBy(resolve()::join).hasCauseInstanceOf(TopicAuthorizationException.class);
  }

  private void read(Uuid topicId) {
    states.put(
        "t-0",
        new KorpseSplitState(
            new KorpseSplit(
                PARTITION, Position.of(5), KorpseSplit.NO_STOP_OFFSET, topicId, false)));
  }

  private CompletableFuture<Position> resolve() {
    return topics.resolve(PARTITION, 5, OptionalLong.empty()).toCompletableFuture();
  }
}
