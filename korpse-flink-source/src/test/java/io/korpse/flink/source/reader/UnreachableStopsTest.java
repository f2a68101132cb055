package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.reader.proxy.ProxyControl;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.flink.source.testing.LogCapture;
import io.korpse.offsets.DataLossPolicy;
import io.korpse.offsets.Position;
import io.korpse.offsets.lag.LagTracker;
import io.korpse.offsets.lag.PartitionLag;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import javax.annotation.Nullable;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class UnreachableStopsTest {

  private static final TopicPartition PARTITION = new TopicPartition("t", 0);

  private final SplitStates states = new SplitStates(Clock.systemUTC());
  private final ProxyControl control = new ProxyControl();
  private final Queue<CompletableFuture<Position>> questions = new ArrayDeque<>();
  private final LagTracker tracker =
      LagTracker.builder()
          .admin(
              () -> {
                throw new IllegalStateException("no broker");
              })
          .interval(Duration.ofHours(1))
          .build();
  @Nullable private RuntimeException unasked;
  private long nanos;
  private int wakes;
  private PartitionLag lag;
  private UnreachableStops stops;

  @AfterEach
  void close() {
    tracker.close();
  }

  @Test
  void a_split_ends_where_its_log_was_cut_and_what_is_gone_is_counted() {
    KorpseSplitState state = readTo(10, 30, true, DataLossPolicy.EARLIEST);
    lookFor(UnreachableStops.PATIENCE);
    questions.remove().complete(Position.of(10));
    assertThat(wakes).isEqualTo(1);
    stops.applyDue();

    assertThat(state.stopOffset()).isEqualTo(10);
    assertThat(state.toSplit().stopOffset()).isEqualTo(10);
    assertThat(lag.recordsLost()).isEqualTo(20);
    lookFor(UnreachableStops.PATIENCE);
    assertThat(questions).isEmpty();
  }

  @Test
  void fails_with_both_offsets_and_the_remedy_by_default() {
    readTo(10, 30, true, DataLossPolicy.FAIL);
    lookFor(UnreachableStops.PATIENCE);
    questions.remove().complete(Position.of(10));

    assertThatThrownBy(stops::applyDue)
        .isInstanceOf(DataLossException.class)
        .hasMessageContaining("t-0")
        .hasMessageContaining("up to offset 30")
        .hasMessageContaining("ends at 10")
        .hasMessageContaining("20 records are gone")
        .hasMessageContaining("onDataLoss");
  }

  /** A user may give a number that the log has yet to reach. */
  @Test
  void a_stop_that_the_log_never_reached_is_waited_for() {
    readTo(10, 30, false, DataLossPolicy.FAIL);
    try (LogCapture log = LogCapture.start()) {
      lookFor(UnreachableStops.PATIENCE);
      assertThat(log.lines()).noneMatch(line -> line.contains("stop offset"));

      lookFor(UnreachableStops.LONG_WAIT);
      lookFor(UnreachableStops.LONG_WAIT);
      assertThat(log.lines())
          .filteredOn(line -> line.contains("t-0 is read to its end 10"))
          .singleElement()
          .asString()
          .contains("stop offset 30");
    }
    assertThat(questions).isEmpty();
  }

  @Test
  void a_stop_that_the_log_is_seen_to_reach_is_one_that_it_reached() {
    KorpseSplitState state = readTo(10, 30, false, DataLossPolicy.FAIL);
    lag.observeEnd(30);
    stops.run();

    assertThat(state.toSplit().stopSeen()).isTrue();
  }

  @Test
  void nobody_is_asked_while_records_are_still_emitted() {
    KorpseSplitState state = readTo(10, 30, true, DataLossPolicy.FAIL);
    lag.observeEnd(12);
    lookFor(UnreachableStops.PATIENCE);
    assertThat(questions).isEmpty();

    state.moveTo(12, Position.NO_EPOCH);
    stops.run();
    assertThat(questions).as("the patience begins when all is emitted").isEmpty();
  }

  /** A leader that was just elected may be a moment behind. */
  @Test
  void an_end_that_is_back_is_no_loss() {
    KorpseSplitState state = readTo(10, 30, true, DataLossPolicy.FAIL);
    lookFor(UnreachableStops.PATIENCE);
    questions.remove().complete(Position.of(30));

    assertThatCode(stops::applyDue).doesNotThrowAnyException();
    assertThat(state.stopOffset()).isEqualTo(30);
  }

  /** Its records are below the high watermark and cannot be read before it ends. */
  @Test
  void an_open_transaction_is_waited_for_and_named_in_the_log() {
    KorpseSplitState state = readTo(10, 30, true, DataLossPolicy.FAIL);
    try (LogCapture log = LogCapture.start()) {
      lookFor(UnreachableStops.PATIENCE);
      questions.remove().complete(Position.of(30));
      stops.run();
      assertThat(questions).as("not asked at each look").isEmpty();
      assertThat(log.lines()).noneMatch(line -> line.contains("transaction"));

      lookFor(UnreachableStops.LONG_WAIT);
      questions.remove().complete(Position.of(30));
      lookFor(UnreachableStops.PATIENCE);
      questions.remove().complete(Position.of(30));
      assertThatCode(stops::applyDue).doesNotThrowAnyException();
      assertThat(log.lines())
          .filteredOn(line -> line.contains("transaction"))
          .singleElement()
          .asString()
          .contains("t-0 is read to 10")
          .contains("stop offset 30");
    }
    assertThat(state.stopOffset()).isEqualTo(30);
  }

  @Test
  void asks_again_when_the_broker_does_not_answer() {
    readTo(10, 30, true, DataLossPolicy.FAIL);
    lookFor(UnreachableStops.PATIENCE);
    stops.run();
    assertThat(questions).as("one question at a time").hasSize(1);
    questions.remove().completeExceptionally(new TimeoutException("no answer"));
    assertThatCode(stops::applyDue).doesNotThrowAnyException();

    stops.run();
    assertThat(questions).hasSize(1);
  }

  @Test
  void fails_when_the_topic_is_another_and_nobody_took_the_split_away() {
    readTo(10, 30, true, DataLossPolicy.EARLIEST);
    lookFor(UnreachableStops.PATIENCE);
    questions.remove().completeExceptionally(new DataLossException("created again"));

    assertThatThrownBy(stops::applyDue).hasMessage("created again");
  }

  @Test
  void a_split_that_left_meanwhile_is_left_alone() {
    readTo(10, 30, true, DataLossPolicy.FAIL);
    lookFor(UnreachableStops.PATIENCE);
    states.remove("t-0");
    questions.remove().complete(Position.of(10));

    assertThatCode(stops::applyDue).doesNotThrowAnyException();
  }

  @Test
  void a_failure_about_a_split_that_was_replaced_meanwhile_fails_nothing() {
    readTo(10, 30, true, DataLossPolicy.FAIL);
    lookFor(UnreachableStops.PATIENCE);
    questions.remove().completeExceptionally(new DataLossException("created again"));
    states.put(
        "t-0",
        new KorpseSplitState(
            new KorpseSplit(
                PARTITION, Position.of(0), KorpseSplit.NO_STOP_OFFSET, Uuid.ZERO_UUID, true)));

    assertThatCode(stops::applyDue).doesNotThrowAnyException();
  }

  /** As the factory of a client may, when a password cannot be read for a moment. */
  @Test
  void asks_again_when_a_question_cannot_be_asked() {
    readTo(10, 30, true, DataLossPolicy.FAIL);
    unasked = new IllegalStateException("no client");
    assertThatCode(() -> lookFor(UnreachableStops.PATIENCE)).doesNotThrowAnyException();
    assertThat(questions).isEmpty();

    unasked = null;
    stops.run();
    assertThat(questions).hasSize(1);
  }

  /** A question about a topic that is gone is never answered. */
  @Test
  void a_split_that_leaves_while_it_is_asked_about_is_forgotten() {
    readTo(10, 30, true, DataLossPolicy.FAIL);
    lookFor(UnreachableStops.PATIENCE);
    assertThat(stops.open()).isEqualTo(1);

    states.remove("t-0");
    stops.run();
    assertThat(stops.open()).isZero();
  }

  /** A split of which all was emitted that its log holds. */
  private KorpseSplitState readTo(long end, long stop, boolean seen, DataLossPolicy policy) {
    stops =
        new UnreachableStops(
            states,
            control,
            policy,
            (partition, offset, divergent) -> {
              if (unasked != null) {
                throw unasked;
              }
              CompletableFuture<Position> question = new CompletableFuture<>();
              questions.add(question);
              return question;
            },
            () -> nanos);
    stops.onDue(() -> wakes++);
    KorpseSplitState state =
        new KorpseSplitState(
            new KorpseSplit(PARTITION, Position.of(end), stop, Uuid.ZERO_UUID, false)
                .withStopSeen(seen));
    lag = tracker.track(PARTITION, state::offset);
    state.watch(lag, partition -> {});
    lag.observeEnd(end);
    states.put("t-0", state);
    return state;
  }

  private void lookFor(Duration time) {
    stops.run();
    nanos += time.toNanos();
    stops.run();
  }
}
