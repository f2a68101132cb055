package io.korpse.flink.source.enumerator;

import static io.korpse.flink.source.enumerator.EnumeratorFixture.ID;
import static io.korpse.flink.source.enumerator.EnumeratorFixture.OTHER_ID;
import static io.korpse.flink.source.enumerator.EnumeratorFixture.t;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.UnsubscribedPolicy;
import io.korpse.flink.source.enumerator.event.SplitsResolvedEvent;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.flink.source.split.PeerOffsets;
import io.korpse.offsets.OffsetRule;
import io.korpse.offsets.Position;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

/** What readers restored, against what there is now and what the source now is to read. */
final class RestoredSplitsTest {

  private static final Duration INTERVAL = Duration.ofMinutes(5);

  private final EnumeratorFixture fixture = new EnumeratorFixture();

  @Test
  void a_topic_created_again_while_the_job_was_down_is_noticed_at_the_restore() {
    fixture.cluster.topic("t", 1, OTHER_ID);

    assertThatThrownBy(() -> fixture.restore(1, given(t(0))).reader(0, split(t(0))).pass(INTERVAL))
        .hasMessageContaining("created again");
  }

  @Test
  void a_split_that_was_removed_is_taken_from_a_reader_that_restores_it() {
    fixture.cluster.topic("t", 2, ID);
    fixture.continueWhenRemoved().start(1).reader(0);
    fixture.cluster.missing("t");
    fixture.pass(INTERVAL.plusSeconds(5));
    fixture.finished(0, t(0), t(1));
    fixture.context.unregister(0);

    fixture.reader(0, split(t(0)));

    assertThat(fixture.removals(0)).hasSize(2);
    assertThat(fixture.removals(0).get(1).partitions()).containsExactly(t(0));
  }

  @Test
  void a_split_that_another_reader_was_given_meanwhile_is_taken_from_one_that_restores_it() {
    fixture.cluster.topic("t", 2, ID);
    fixture.continueWhenRemoved().start(2).reader(0).reader(1);
    KorpseSplit old = fixture.context.assigned(0).get(0);
    fixture.cluster.missing("t");
    fixture.pass(INTERVAL.plusSeconds(5));
    fixture.finished(0, t(0), t(1)).finished(1, t(0), t(1));
    fixture.context.unregister(0);
    fixture.enumerator.addSplitsBack(List.of(), 0);
    fixture.cluster.topic("t", 2, ID);
    fixture.pass(INTERVAL.plusSeconds(5));
    fixture.reader(0, old);

    List<TopicPartition> twice =
        fixture.context.assigned(1).stream()
            .map(KorpseSplit::partition)
            .filter(old.partition()::equals)
            .toList();
    assertThat(twice).as("given to the other reader").hasSizeLessThanOrEqualTo(1);
    assertThat(fixture.removals(0)).last().isNotNull();
    assertThat(fixture.removals(0).get(fixture.removals(0).size() - 1).partitions())
        .containsExactly(old.partition());
  }

  @Test
  void partitions_that_are_no_longer_subscribed_to_are_dropped() {
    TopicPartition old = new TopicPartition("old", 0);
    fixture.cluster.topic("t", 1, ID);

    fixture.restore(1, given(old, t(0))).reader(0, split(old), split(t(0)));

    assertThat(fixture.removed(0)).as("at once").containsExactly(old);
    fixture.finished(0, old).pass(INTERVAL);
    assertThat(fixture.removals(0)).hasSize(1);
    assertThat(fixture.enumerator.snapshotState(1).given()).containsOnlyKeys(t(0));
  }

  @Test
  void a_bounded_source_drops_what_is_no_longer_subscribed_to_and_ends() {
    TopicPartition old = new TopicPartition("old", 0);
    TopicPartition unread = new TopicPartition("old", 1);
    fixture.cluster.topic("t", 1, ID);
    EnumeratorState state =
        new EnumeratorState(
            Map.of(old, ID, t(0), ID), List.of(split(unread)), Set.of(), true, true);

    fixture.bounded(OffsetRule.latest()).restore(1, state).reader(0, split(old), split(t(0)));

    assertThat(fixture.removed(0)).containsExactly(old);
    assertThat(fixture.context.assigned(0)).isEmpty();
    fixture.finished(0, old).pass(Duration.ofSeconds(2));
    assertThat(fixture.context.isTold(0)).isTrue();
  }

  @Test
  void partitions_that_are_no_longer_subscribed_to_can_fail_the_job() {
    TopicPartition old = new TopicPartition("old", 0);
    fixture.cluster.topic("t", 1, ID);
    fixture.with(KorpseSourceOptions.ON_UNSUBSCRIBED, UnsubscribedPolicy.FAIL);

    assertThatThrownBy(() -> fixture.restore(1, given(old)).reader(0, split(old)).pass(INTERVAL))
        .hasMessageContaining("old-0")
        .hasMessageContaining("korpse.on-unsubscribed");
  }

  @Test
  void answers_a_reader_that_restored_markers_of_the_peer() {
    fixture.cluster.topic("t", 3, ID);
    fixture.rules(OffsetRule.committed(OffsetRule.latest()), OffsetRule.earliest(), null);

    fixture
        .restore(1, given(t(0), t(1), t(2)))
        .reader(
            0,
            KorpseSplit.ofPeer(t(0), new PeerOffsets(PeerOffsets.EARLIEST, PeerOffsets.NO_STOP)),
            KorpseSplit.ofPeer(t(1), new PeerOffsets(PeerOffsets.COMMITTED, PeerOffsets.LATEST)),
            split(t(2)));

    assertThat(((SplitsResolvedEvent) fixture.context.events(0).get(0)).splits())
        .containsExactlyInAnyOrder(
            new KorpseSplit(
                t(0), Position.of(10), KorpseSplit.NO_STOP_OFFSET, Uuid.ZERO_UUID, true),
            new KorpseSplit(t(1), new Position(50, 3), 100, Uuid.ZERO_UUID, false)
                .withStopSeen(true));
    assertThat(fixture.cluster.asked()).contains("committed, else latest x 1");
  }

  @Test
  void gives_restored_splits_a_stop_when_the_source_now_has_one() {
    fixture.cluster.topic("t", 1, ID);
    fixture.bounded(OffsetRule.latest());
    KorpseSplit endless =
        new KorpseSplit(t(0), Position.of(20), KorpseSplit.NO_STOP_OFFSET, ID, false);

    fixture.restore(1, given(t(0))).reader(0, endless);

    assertThat(((SplitsResolvedEvent) fixture.context.events(0).get(0)).splits())
        .containsExactly(new KorpseSplit(t(0), Position.of(20), 100, ID, false).withStopSeen(true));
  }

  @Test
  void gives_away_what_the_peer_had_not_given_when_its_markers_are_resolved() {
    fixture.cluster.topic("t", 2, ID);
    KorpseSplit marker =
        KorpseSplit.ofPeer(t(0), new PeerOffsets(PeerOffsets.EARLIEST, PeerOffsets.NO_STOP));
    EnumeratorState state =
        new EnumeratorState(Map.of(), List.of(marker), Set.of(t(1)), true, false);

    fixture.restore(1, state).reader(0);

    assertThat(fixture.context.assigned(0))
        .containsExactlyInAnyOrder(
            new KorpseSplit(t(0), Position.of(10), KorpseSplit.NO_STOP_OFFSET, ID, true),
            new KorpseSplit(t(1), new Position(50, 3), KorpseSplit.NO_STOP_OFFSET, ID, false));
  }

  private static KorpseSplit split(TopicPartition partition) {
    return new KorpseSplit(partition, Position.of(5), KorpseSplit.NO_STOP_OFFSET, ID, false);
  }

  private static EnumeratorState given(TopicPartition... partitions) {
    Map<TopicPartition, Uuid> given = new HashMap<>();
    for (TopicPartition partition : partitions) {
      given.put(partition, ID);
    }
    return new EnumeratorState(given, List.of(), Set.of(), true, false);
  }
}
