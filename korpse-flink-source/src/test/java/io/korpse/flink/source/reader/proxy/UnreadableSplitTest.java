package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;

/** What is done about a split whose next batch the consumer cannot read. */
final class UnreadableSplitTest {

  private final SplitBuffer split = Buffers.empty(0);
  private final Map<TopicPartition, SplitBuffer> splits = Map.of(split.partition(), split);
  private final CompletableFuture<Long> answer = new CompletableFuture<>();
  private final List<String> done = new ArrayList<>();
  private boolean wanted = true;

  private final OffsetChecks checks =
      new OffsetChecks(
          (partition, offset, divergent) -> new CompletableFuture<>(),
          (partition, offset) -> {
            done.add("asks from " + offset);
            return answer;
          },
          LogInspector.NONE,
          new PauseLedger(new PauseTimes()),
          () -> 0,
          () -> {},
          new Owner());

  @Test
  void is_paused_until_the_end_of_the_damage_is_known_and_asked_about_once() {
    checks.unreadable(damaged(), splits);
    checks.unreadable(damaged(), splits);
    checks.takeAnswers();
    assertThat(split.pause.has(PauseReason.OFFSET_CHECK)).isTrue();

    answer.complete(17L);
    checks.takeAnswers();

    assertThat(done).containsExactly("asks from 0", "skips to 17", "goes on");
    assertThat(split.pause.has(PauseReason.OFFSET_CHECK)).isFalse();
  }

  @Test
  void goes_on_where_it_was_when_it_can_be_read_after_all() {
    checks.unreadable(damaged(), splits);
    answer.complete(0L);
    checks.takeAnswers();

    assertThat(done).containsExactly("asks from 0", "goes on");
  }

  /** It may stay assigned for a while, and the broker may lose its log meanwhile. */
  @Test
  void is_left_alone_when_it_was_read_to_its_end() {
    split.finishFetching();
    checks.unreadable(damaged(), splits);
    checks.refused(new OffsetOutOfRangeException(Map.of(split.partition(), 0L)), splits);

    assertThat(done).isEmpty();
    assertThat(split.pause.paused()).isFalse();
  }

  @Test
  void is_left_alone_when_it_was_taken_away_meanwhile() {
    checks.unreadable(damaged(), splits);
    wanted = false;
    answer.complete(17L);
    checks.takeAnswers();

    assertThat(done).containsExactly("asks from 0");
  }

  @Test
  void fails_when_the_end_cannot_be_found() {
    checks.unreadable(damaged(), splits);
    answer.completeExceptionally(new KafkaException("no end"));

    assertThatThrownBy(checks::takeAnswers).hasMessageContaining("no end");
  }

  @Test
  void other_errors_are_passed_on() {
    assertThatThrownBy(() -> checks.unreadable(new TopicAuthorizationException("t"), splits))
        .isInstanceOf(TopicAuthorizationException.class);
    assertThatThrownBy(() -> checks.unreadable(damaged(), Map.of()))
        .isInstanceOf(KafkaException.class);
  }

  private static KafkaException damaged() {
    return new KafkaException(
        "Received exception when fetching the next record from t-0. If needed, please seek past"
            + " the record to continue consumption.");
  }

  private final class Owner implements OffsetChecks.Owner {
    @Override
    public boolean wants(SplitBuffer which) {
      return wanted;
    }

    @Override
    public void fetchOn(SplitBuffer which) {
      done.add("goes on");
    }

    @Override
    public void skipTo(SplitBuffer which, long offset, KafkaException cause) {
      done.add("skips to " + offset);
    }

    @Override
    public void changed(SplitBuffer which) {}
  }
}
