package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

/** Answers that come late, together, or beyond the end of a split. */
class OffsetChecksTest {

  private static final TopicPartition ID = new TopicPartition("t", 0);

  private final PauseLedger ledger = new PauseLedger(new PauseTimes());
  private Consumer<Map<TopicPartition, LogInspector.LogEnd>> ends;
  private final CompletableFuture<Position> decision = new CompletableFuture<>();
  private final List<Long> fetchedOnFrom = new ArrayList<>();
  private boolean wanted = true;
  private final List<OptionalLong> divergences = new ArrayList<>();
  private final OffsetChecks checks =
      new OffsetChecks(
          (partition, offset, divergent) -> {
            divergences.add(divergent);
            return decision;
          },
          (partition, offset) -> CompletableFuture.completedFuture(offset + 1),
          (partitions, answers) -> ends = answers,
          ledger,
          () -> 0L,
          () -> {},
          new Owner());

  /** It was let go by the first answer and moved back by the second: records were read twice. */
  @Test
  void a_split_with_two_open_questions_waits_for_the_answer_about_its_loss() {
    SplitBuffer split = split(KorpseSplit.NO_STOP_OFFSET);
    checks.added(List.of(split));
    checks.refused(new OffsetOutOfRangeException(Map.of(ID, 50L)), Map.of(ID, split));

    ends.accept(Map.of(ID, new LogInspector.LogEnd(500, 7)));
    checks.takeAnswers();
    assertThat(split.pause.has(PauseReason.OFFSET_CHECK)).isTrue();
    assertThat(fetchedOnFrom).isEmpty();

    decision.complete(new Position(120, -1));
    checks.takeAnswers();
    assertThat(split.pause.paused()).isFalse();
    assertThat(fetchedOnFrom).containsExactly(120L);
  }

  /** The job was stopped, the topic created again and filled beyond the position. */
  @Test
  void a_split_of_a_topic_that_was_created_again_is_not_fetched() {
    SplitBuffer split = split(new Position(50, 3), KorpseSplit.NO_STOP_OFFSET);
    checks.added(List.of(split));
    ends.accept(Map.of(ID, new LogInspector.LogEnd(-1, -1, true)));
    checks.takeAnswers();

    assertThat(split.pause.has(PauseReason.OFFSET_CHECK)).isTrue();
    assertThat(split.end()).isEqualTo(-1);
    assertThat(fetchedOnFrom).isEmpty();
  }

  /** An explicit start that was not read yet, or a position that was set after a loss. */
  @Test
  void a_split_without_an_epoch_waits_too_until_its_topic_is_known_to_be_the_same() {
    SplitBuffer split =
        new SplitBuffer(
            new KorpseSplit(ID, Position.of(50), KorpseSplit.NO_STOP_OFFSET, new Uuid(1, 1), false),
            (offset, epoch) -> {},
            end -> {},
            new SplitStats(),
            record -> 1);
    checks.added(List.of(split));
    assertThat(split.pause.has(PauseReason.OFFSET_CHECK)).isTrue();

    ends.accept(Map.of(ID, new LogInspector.LogEnd(500, 7)));
    checks.takeAnswers();
    assertThat(split.pause.paused()).isFalse();
    assertThat(fetchedOnFrom).containsExactly(50L);
  }

  /** A partition without a leader is answered only at the time limit. */
  @Test
  void a_split_whose_log_is_known_does_not_wait_for_another_one() {
    TopicPartition leaderless = new TopicPartition("t", 1);
    SplitBuffer known = split(new Position(50, 3), KorpseSplit.NO_STOP_OFFSET);
    SplitBuffer unknown = split(leaderless, new Position(70, 3), KorpseSplit.NO_STOP_OFFSET);
    checks.added(List.of(known, unknown));

    ends.accept(Map.of(ID, new LogInspector.LogEnd(500, 7)));
    checks.takeAnswers();
    assertThat(fetchedOnFrom).containsExactly(50L);
    assertThat(unknown.pause.has(PauseReason.OFFSET_CHECK)).isTrue();

    ends.accept(Map.of(leaderless, LogInspector.LogEnd.UNKNOWN));
    checks.takeAnswers();
    assertThat(fetchedOnFrom).containsExactly(50L, 70L);
  }

  @Test
  void a_split_whose_log_was_replaced_is_asked_about_once() {
    SplitBuffer split = split(new Position(50, 3), KorpseSplit.NO_STOP_OFFSET);
    checks.replaced(split);
    checks.replaced(split);
    assertThat(split.pause.has(PauseReason.OFFSET_CHECK)).isTrue();

    decision.complete(new Position(50, -1));
    checks.takeAnswers();
    assertThat(fetchedOnFrom).containsExactly(50L);
    assertThat(split.pause.paused()).isFalse();
  }

  /**
   * A broker answers the end of a log with its current epoch, and an open transaction may have been
   * written there in an earlier one.
   */
  @Test
  void an_earlier_epoch_alone_is_no_divergence() {
    checks.replaced(split(new Position(50, 5), KorpseSplit.NO_STOP_OFFSET));

    assertThat(divergences).containsExactly(OptionalLong.empty());
  }

  @Test
  void a_split_that_lost_offsets_does_not_go_on_beyond_its_stop_offset() {
    SplitBuffer split = split(100);
    checks.refused(new OffsetOutOfRangeException(Map.of(ID, 50L)), Map.of(ID, split));
    decision.complete(new Position(120, -1));
    checks.takeAnswers();

    assertThat(split.fetchOffset()).isEqualTo(100);
  }

  /** The consumer names the same partition again and again until it is moved. */
  @Test
  void asks_once_however_often_the_consumer_refuses() {
    SplitBuffer split = split(KorpseSplit.NO_STOP_OFFSET);
    for (int i = 0; i < 3; i++) {
      checks.refused(new OffsetOutOfRangeException(Map.of(ID, 50L)), Map.of(ID, split));
    }
    decision.complete(new Position(60, -1));
    checks.takeAnswers();

    assertThat(fetchedOnFrom).containsExactly(60L);
  }

  @Test
  void a_failure_about_a_split_that_was_taken_away_meanwhile_fails_nothing() {
    SplitBuffer split = split(KorpseSplit.NO_STOP_OFFSET);
    checks.refused(new OffsetOutOfRangeException(Map.of(ID, 50L)), Map.of(ID, split));
    wanted = false;
    decision.completeExceptionally(new IllegalStateException("of the old topic"));

    assertThatCode(checks::takeAnswers).doesNotThrowAnyException();
    assertThat(fetchedOnFrom).isEmpty();
  }

  @Test
  void a_failure_about_a_split_that_is_still_there_fails_the_reader() {
    SplitBuffer split = split(KorpseSplit.NO_STOP_OFFSET);
    checks.refused(new OffsetOutOfRangeException(Map.of(ID, 50L)), Map.of(ID, split));
    decision.completeExceptionally(new IllegalStateException("lost"));

    assertThatThrownBy(checks::takeAnswers).hasMessage("lost");
  }

  private static SplitBuffer split(long stopOffset) {
    return split(new Position(50, -1), stopOffset);
  }

  private static SplitBuffer split(Position position, long stopOffset) {
    return split(ID, position, stopOffset);
  }

  private static SplitBuffer split(TopicPartition id, Position position, long stopOffset) {
    return new SplitBuffer(
        new KorpseSplit(id, position, stopOffset, Uuid.ZERO_UUID, false),
        (offset, epoch) -> {},
        end -> {},
        new SplitStats(),
        record -> 1);
  }

  private final class Owner implements OffsetChecks.Owner {

    @Override
    public boolean wants(SplitBuffer split) {
      return wanted;
    }

    @Override
    public void fetchOn(SplitBuffer split) {
      fetchedOnFrom.add(split.fetchOffset());
    }

    @Override
    public void skipTo(SplitBuffer split, long offset, KafkaException cause) {
      throw new AssertionError(cause);
    }

    @Override
    public void changed(SplitBuffer split) {}
  }
}
