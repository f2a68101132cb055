package io.korpse.flink.source.enumerator;

import static io.korpse.flink.source.enumerator.EnumeratorFixture.ID;
import static io.korpse.flink.source.enumerator.EnumeratorFixture.t;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.enumerator.event.NothingToReadEvent;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.OffsetRule;
import io.korpse.offsets.Position;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

/** Start, offsets, assignment and completion. */
final class KorpseEnumeratorTest {

  private final EnumeratorFixture fixture = new EnumeratorFixture();

  @Test
  void gives_splits_with_numbers_epoch_and_topic_id() {
    fixture.cluster.topic("t", 1, ID);

    fixture.start(1).reader(0);

    assertThat(fixture.context.assigned(0))
        .containsExactly(
            new KorpseSplit(t(0), new Position(50, 3), KorpseSplit.NO_STOP_OFFSET, ID, false));
  }

  /** W15: the end of the log when the job started, whether or not a reader had it yet. */
  @Test
  void a_start_at_the_end_of_the_log_is_a_number_and_not_asked_for_again() {
    assertThat(restoredStarts(OffsetRule.latest())).containsExactly(100L, 100L);
  }

  @Test
  void a_start_at_the_start_of_the_log_is_a_number_and_not_asked_for_again() {
    assertThat(restoredStarts(OffsetRule.earliest())).containsExactly(10L, 10L);
  }

  /** Of a split that a reader had, and of one that none had yet. */
  private List<Long> restoredStarts(OffsetRule start) {
    fixture.cluster.topic("t", 2, ID);
    fixture.rules(start, OffsetRule.committed(), null).start(2).reader(0);
    List<KorpseSplit> had = fixture.context.assigned(0);
    EnumeratorState state = fixture.enumerator.snapshotState(1);
    fixture.cluster.asked().clear();

    EnumeratorFixture restored = fixture.again().rules(start, OffsetRule.committed(), null);
    restored.restore(2, state).reader(0, had.toArray(KorpseSplit[]::new)).reader(1);

    assertThat(restored.cluster.asked()).isEmpty();
    return Stream.concat(had.stream(), restored.context.assigned(1).stream())
        .map(split -> split.position().offset())
        .toList();
  }

  @Test
  void marks_a_split_that_starts_at_a_place_in_the_log_as_pristine() {
    fixture.cluster.topic("t", 1, ID);
    fixture.rules(OffsetRule.earliest(), OffsetRule.earliest(), null);

    fixture.start(1).reader(0);

    assertThat(fixture.context.assigned(0).get(0).pristine()).isTrue();
  }

  @Test
  void gives_readers_that_register_before_the_discovery_their_splits_after_it() {
    fixture.cluster.topic("t", 2, ID);
    fixture.begin(1, null);
    fixture.register(0);
    assertThat(fixture.cluster.discoveries()).isZero();
    assertThat(fixture.context.assigned(0)).isEmpty();

    fixture.context.run();

    assertThat(fixture.context.assigned(0)).hasSize(2);
  }

  @Test
  void balances_splits_over_all_subtasks_even_those_not_there_yet() {
    fixture.cluster.topic("t", 8, ID);
    fixture.start(3);

    fixture.reader(1);
    assertThat(fixture.context.assigned(1)).hasSizeBetween(2, 3);
    fixture.reader(0).reader(2);

    assertThat(fixture.context.allAssigned()).hasSize(8);
    for (int reader = 0; reader < 3; reader++) {
      assertThat(fixture.context.assigned(reader)).hasSizeBetween(2, 3);
    }
  }

  /** W28. */
  @Test
  void balances_many_topics_of_one_partition() {
    fixture.pattern("topic-.*");
    for (int topic = 0; topic < 20; topic++) {
      fixture.cluster.topic("topic-" + topic, 1, ID);
    }
    fixture.start(4).reader(0).reader(1).reader(2).reader(3);

    for (int reader = 0; reader < 4; reader++) {
      assertThat(fixture.context.assigned(reader)).hasSize(5);
    }
  }

  /** W29. */
  @Test
  void counts_what_readers_restored_when_it_balances() {
    fixture.cluster.topic("t", 6, ID);
    KorpseSplit[] restored = {split(0), split(1), split(2)};

    fixture.restore(2, given(0, 1, 2)).reader(0, restored);
    assertThat(fixture.context.allAssigned()).isEmpty();
    fixture.reader(1);

    assertThat(fixture.context.assigned(0)).isEmpty();
    assertThat(fixture.context.assigned(1)).hasSize(3);
  }

  @Test
  void a_partition_without_a_leader_does_not_hold_up_the_others() {
    fixture.cluster.topic("t", 3, ID);
    fixture.cluster.fail(t(1), true);

    fixture.start(1).reader(0);
    assertThat(fixture.context.assigned(0)).hasSize(2);

    fixture.cluster.heal(t(1));
    fixture.pass(Duration.ofSeconds(2));
    assertThat(fixture.context.assigned(0)).hasSize(3);
  }

  @Test
  void fails_with_the_partition_and_the_option_when_offsets_stay_unknown() {
    fixture.cluster.topic("t", 2, ID);
    fixture.cluster.fail(t(1), true);
    fixture.with(KorpseSourceOptions.OFFSETS_TIMEOUT, Duration.ofSeconds(10));
    fixture.start(1).reader(0);

    assertThatThrownBy(() -> fixture.pass(Duration.ofSeconds(15)))
        .hasMessageContaining("t-1 has no leader")
        .hasMessageContaining("korpse.offsets.timeout");
  }

  @Test
  void fails_at_once_when_offsets_cannot_be_known() {
    fixture.cluster.topic("t", 1, ID);
    fixture.cluster.fail(t(0), false);

    assertThatThrownBy(() -> fixture.start(1)).hasMessageContaining("t-0 has no leader");
  }

  @Test
  void a_bounded_source_resolves_stops_once_and_tells_each_reader_once() {
    fixture.cluster.topic("t", 2, ID);

    fixture.bounded(OffsetRule.latest()).start(3).reader(0).reader(1).reader(2);
    fixture.pass(Duration.ofMinutes(10));

    assertThat(fixture.context.allAssigned())
        .extracting(KorpseSplit::stopOffset)
        .containsExactly(100L, 100L);
    assertThat(fixture.context.isTold(0)).isTrue();
    assertThat(fixture.context.isTold(1)).isTrue();
    assertThat(fixture.context.isTold(2)).isTrue();
    assertThat(fixture.cluster.asked()).containsExactly("earliest x 2", "latest x 2");
  }

  /** W2: a bounded source that finds nothing. */
  @Test
  void a_bounded_source_without_partitions_ends() {
    fixture.pattern("nothing-.*").bounded(OffsetRule.latest()).start(1).reader(0);

    assertThat(fixture.context.isTold(0)).isTrue();
  }

  /** W1: restored after everything was given away. */
  @Test
  void a_restored_bounded_source_ends_without_looking_for_more() {
    fixture.cluster.topic("t", 3, ID);
    EnumeratorState state =
        new EnumeratorState(Map.of(t(0), ID, t(1), ID), List.of(), Set.of(), true, true);

    fixture.bounded(OffsetRule.latest()).restore(1, state).reader(0, split(0), split(1));

    assertThat(fixture.context.isTold(0)).isTrue();
    assertThat(fixture.context.allAssigned()).isEmpty();
    assertThat(fixture.cluster.discoveries()).isZero();
  }

  /** W17. */
  @Test
  void a_restored_bounded_source_gives_away_what_was_not_given_yet_as_it_was() {
    fixture.cluster.topic("t", 1, ID);
    KorpseSplit ready = new KorpseSplit(t(0), Position.of(12), 34, ID, true);
    EnumeratorState state = new EnumeratorState(Map.of(), List.of(ready), Set.of(), true, true);

    fixture.bounded(OffsetRule.latest()).restore(2, state).reader(0).reader(1);

    assertThat(fixture.context.allAssigned()).containsExactly(ready);
    assertThat(fixture.context.isTold(0)).isTrue();
    assertThat(fixture.context.isTold(1)).isTrue();
  }

  /** W3: an unbounded source with stops and without discovery. */
  @Test
  void an_unbounded_source_that_discovers_no_more_tells_its_readers() {
    fixture.cluster.topic("t", 1, ID);

    fixture.withoutDiscovery().start(2).reader(0).reader(1);

    assertThat(fixture.context.isTold(0)).isTrue();
    assertThat(fixture.context.isTold(1)).isTrue();
  }

  @Test
  void a_source_that_looks_for_new_partitions_never_tells() {
    fixture.cluster.topic("t", 1, ID);

    fixture.start(1).reader(0).pass(Duration.ofMinutes(20));

    assertThat(fixture.context.isTold(0)).isFalse();
    assertThat(fixture.cluster.discoveries()).isEqualTo(5);
  }

  @Test
  void a_partition_without_offsets_keeps_a_bounded_source_open() {
    fixture.cluster.topic("t", 2, ID);
    fixture.cluster.fail(t(1), true);
    fixture.bounded(OffsetRule.latest()).start(1).reader(0);
    assertThat(fixture.context.isTold(0)).isFalse();

    fixture.cluster.heal(t(1));
    fixture.pass(Duration.ofSeconds(2));

    assertThat(fixture.context.assigned(0)).hasSize(2);
    assertThat(fixture.context.isTold(0)).isTrue();
  }

  @Test
  void splits_of_a_failed_reader_go_back_to_it_and_it_is_told_again() {
    fixture.cluster.topic("t", 4, ID);
    fixture.bounded(OffsetRule.latest()).start(2).reader(0).reader(1);
    List<KorpseSplit> lost = fixture.context.assigned(1);

    fixture.context.unregister(1);
    fixture.enumerator.addSplitsBack(lost, 1);
    assertThat(fixture.context.assigned(1)).isEmpty();
    fixture.reader(1);

    assertThat(fixture.context.assigned(1)).containsExactlyInAnyOrderElementsOf(lost);
    assertThat(fixture.context.isTold(1)).isTrue();
  }

  @Test
  void an_explicit_stop_beyond_the_log_is_taken_as_it_is() {
    fixture.cluster.topic("t", 2, ID);
    fixture.rules(
        OffsetRule.earliest(),
        OffsetRule.earliest(),
        OffsetRule.explicit(Map.of(t(0), 5_000L), OffsetRule.latest()));

    fixture.start(1).reader(0);

    assertThat(fixture.context.assigned(0))
        .extracting(KorpseSplit::stopOffset)
        .containsExactlyInAnyOrder(5_000L, 100L);
    assertThat(fixture.context.assigned(0))
        .as("only a stop that was found in the log is known to be reached")
        .allMatch(split -> split.stopSeen() == (split.stopOffset() == 100));
  }

  /** W36: a reader without a split says that it is idle. */
  @Test
  void tells_readers_without_a_split_that_there_is_nothing_to_read_once_all_is_given() {
    fixture.cluster.topic("t", 2, ID);
    fixture.cluster.fail(t(1), true);
    fixture.start(3).reader(0).reader(1).reader(2);
    assertThat(idle(0) + idle(1) + idle(2)).isZero();

    fixture.cluster.heal(t(1));
    fixture.pass(Duration.ofMinutes(6));

    assertThat(idle(0)).isZero();
    assertThat(idle(1)).isZero();
    assertThat(idle(2)).isEqualTo(1);
  }

  @Test
  void tells_a_reader_whose_splits_have_all_ended_and_again_after_it_had_others() {
    fixture.cluster.topic("t", 1, ID);
    fixture.start(1).reader(0);

    fixture.finished(0, t(0));
    assertThat(idle(0)).isEqualTo(1);
    fixture.cluster.topic("t", 2, ID);
    fixture.pass(Duration.ofMinutes(6));
    assertThat(fixture.context.assigned(0)).hasSize(2);
    fixture.finished(0, t(1));

    assertThat(idle(0)).isEqualTo(2);
  }

  private long idle(int reader) {
    return fixture.context.events(reader).stream()
        .filter(NothingToReadEvent.class::isInstance)
        .count();
  }

  @Test
  void an_interval_below_a_second_looks_once_a_second() {
    fixture.cluster.topic("t", 1, ID);
    fixture.with(KorpseSourceOptions.DISCOVERY_INTERVAL, 10L).start(1).reader(0);
    fixture.pass(Duration.ofSeconds(10));

    assertThat(fixture.cluster.discoveries()).isEqualTo(11);
  }

  /** It overflowed, and the brokers were asked without a pause. */
  @Test
  void an_interval_as_long_as_never_looks_once() {
    fixture.cluster.topic("t", 1, ID);
    fixture.with(KorpseSourceOptions.DISCOVERY_INTERVAL, Long.MAX_VALUE).start(1).reader(0);
    fixture.pass(Duration.ofMinutes(10));

    assertThat(fixture.cluster.discoveries()).isEqualTo(1);
  }

  @Test
  void closes_the_cluster_and_does_nothing_afterwards() {
    fixture.cluster.topic("t", 1, ID);
    fixture.start(1);

    fixture.enumerator.close();
    fixture.pass(Duration.ofMinutes(10));

    assertThat(fixture.cluster.isClosed()).isTrue();
    assertThat(fixture.cluster.discoveries()).isEqualTo(1);
  }

  private static KorpseSplit split(int partition) {
    return new KorpseSplit(t(partition), Position.of(5), 90, ID, false);
  }

  private static EnumeratorState given(int... partitions) {
    Map<TopicPartition, Uuid> given = new HashMap<>();
    for (int partition : partitions) {
      given.put(t(partition), ID);
    }
    return new EnumeratorState(given, List.of(), Set.of(), true, false);
  }
}
