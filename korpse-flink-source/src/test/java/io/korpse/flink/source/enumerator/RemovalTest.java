package io.korpse.flink.source.enumerator;

import static io.korpse.flink.source.enumerator.EnumeratorFixture.ID;
import static io.korpse.flink.source.enumerator.EnumeratorFixture.OTHER_ID;
import static io.korpse.flink.source.enumerator.EnumeratorFixture.t;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.TopicRemovalPolicy;
import io.korpse.flink.source.UnsubscribedPolicy;
import io.korpse.flink.source.enumerator.event.SplitsRemovedEvent;
import io.korpse.flink.source.enumerator.event.SplitsResolvedEvent;
import io.korpse.flink.source.enumerator.event.SplitsRestoredEvent;
import io.korpse.flink.source.enumerator.event.TopicSuspectedEvent;
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

/** Partitions that come, go and come again, and failures to find them. */
final class RemovalTest {

  private static final Duration INTERVAL = Duration.ofMinutes(5);

  private final EnumeratorFixture fixture = new EnumeratorFixture();

  @Test
  void names_a_topic_that_does_not_exist_after_a_second_look() {
    fixture.cluster.missing("t");
    fixture.start(1);

    assertThatThrownBy(() -> fixture.pass(Duration.ofSeconds(2)))
        .hasMessageContaining("[t]")
        .hasMessageContaining("broker:9092")
        .hasMessageContaining("never creates topics");
  }

  @Test
  void waits_a_second_for_a_topic_that_was_just_created() {
    fixture.cluster.missing("t");
    fixture.bounded(OffsetRule.latest()).start(1).reader(0);
    assertThat(fixture.context.isTold(0)).isFalse();

    fixture.cluster.topic("t", 1, ID);
    fixture.pass(Duration.ofSeconds(2));

    assertThat(fixture.context.assigned(0)).hasSize(1);
    assertThat(fixture.context.isTold(0)).isTrue();
  }

  /** W18: later partitions have a start policy of their own. */
  @Test
  void starts_new_partitions_by_their_own_rule() {
    fixture.cluster.topic("t", 1, ID);
    fixture.start(1).reader(0);
    fixture.cluster.topic("t", 2, ID);

    fixture.pass(INTERVAL);

    assertThat(fixture.context.assigned(0))
        .extracting(split -> split.position().offset())
        .containsExactly(50L, 10L);
  }

  /** The other connector takes the start for them until it has found something. */
  @Test
  void what_comes_after_a_look_that_found_nothing_counts_as_new() {
    fixture.pattern("t").start(1).reader(0);
    fixture.cluster.topic("t", 1, ID);

    fixture.pass(INTERVAL);

    assertThat(fixture.context.assigned(0))
        .extracting(split -> split.position().offset())
        .containsExactly(10L);
  }

  /** W23: a failed metadata call does not restart the job. */
  @Test
  void tolerates_failed_discoveries_after_the_first() {
    fixture.cluster.topic("t", 1, ID);
    fixture.with(KorpseSourceOptions.DISCOVERY_FAILURES, 3).start(1).reader(0);
    fixture.cluster.failNext(3);
    fixture.cluster.topic("t", 2, ID);

    fixture.pass(INTERVAL.plusSeconds(10));

    assertThat(fixture.context.assigned(0)).hasSize(2);
  }

  @Test
  void fails_when_too_many_discoveries_fail_in_a_row() {
    fixture.cluster.topic("t", 1, ID);
    fixture.with(KorpseSourceOptions.DISCOVERY_FAILURES, 3).start(1).reader(0);
    fixture.cluster.failNext(4);

    assertThatThrownBy(() -> fixture.pass(INTERVAL.plusSeconds(60)))
        .hasMessageContaining("4 failures in a row")
        .hasMessageContaining("the cluster is away");
  }

  @Test
  void fails_when_the_first_discovery_does() {
    fixture.cluster.failNext(1);

    assertThatThrownBy(() -> fixture.start(1)).hasMessageContaining("the cluster is away");
  }

  @Test
  void a_removed_topic_fails_the_job_by_default() {
    fixture.cluster.topic("t", 2, ID);
    fixture.start(1).reader(0);
    fixture.cluster.missing("t");

    assertThatThrownBy(() -> fixture.pass(INTERVAL.plusSeconds(5)))
        .hasMessageContaining("[t-0, t-1]")
        .hasMessageContaining("korpse.on-topic-removed");
  }

  @Test
  void what_a_custom_subscriber_names_and_is_gone_was_removed() {
    fixture.cluster.topic("t", 2, ID);
    fixture.custom().start(1).reader(0);
    fixture.cluster.missing("t-0").missing("t-1").without("t");

    assertThatThrownBy(() -> fixture.pass(INTERVAL.plusSeconds(5)))
        .hasMessageContaining("[t-0, t-1]")
        .hasMessageContaining("korpse.on-topic-removed");
  }

  @Test
  void what_a_custom_subscriber_no_longer_names_leaves() {
    fixture.cluster.topic("t", 2, ID);
    fixture.custom().start(1).reader(0);
    fixture.cluster.partitions().remove(t(1));

    fixture.pass(INTERVAL.plusSeconds(5));

    assertThat(removed(0)).containsExactly(t(1));
  }

  @Test
  void what_a_custom_subscriber_names_and_is_gone_is_not_kept() {
    fixture.cluster.topic("t", 1, ID);
    fixture.with(KorpseSourceOptions.ON_UNSUBSCRIBED, UnsubscribedPolicy.KEEP);
    continueWhenRemoved().custom().start(1).reader(0);
    fixture.cluster.missing("t-0").without("t");

    fixture.pass(INTERVAL.plusSeconds(5));

    assertThat(removed(0)).containsExactly(t(0));
  }

  @Test
  void a_bounded_source_with_a_custom_subscriber_misses_only_what_is_gone() {
    fixture.cluster.topic("t", 3, ID);
    fixture.custom().bounded(OffsetRule.latest()).start(1).reader(0);
    fixture.cluster.partitions().remove(t(2));
    fixture.pass(Duration.ofSeconds(62));
    assertThat(fixture.context.events(0)).isEmpty();

    fixture.cluster.missing("t-0").partitions().remove(t(0));

    assertThatThrownBy(() -> fixture.pass(Duration.ofSeconds(62))).hasMessageContaining("[t-0]");
  }

  /** A reader suspects once a second: the tolerated failures went by in as many seconds. */
  @Test
  void a_suspicion_does_not_shorten_the_wait_after_a_failed_look() {
    fixture.cluster.topic("t", 1, ID);
    fixture.with(KorpseSourceOptions.DISCOVERY_FAILURES, 20).start(1).reader(0);
    fixture.cluster.failNext(1_000);
    for (int second = 0; second < 31; second++) {
      fixture.enumerator.handleSourceEvent(0, new TopicSuspectedEvent(t(0)));
      fixture.pass(Duration.ofSeconds(1));
    }

    assertThat(fixture.cluster.discoveries()).as("at 0, 1, 3, 7 and 15 s").isLessThanOrEqualTo(7);
  }

  @Test
  void a_topic_that_one_broker_does_not_know_for_a_moment_is_not_gone() {
    fixture.cluster.topic("t", 2, ID);
    fixture.start(1).reader(0);
    fixture.cluster.missing("t");
    fixture.pass(INTERVAL);
    fixture.cluster.topic("t", 2, ID);

    fixture.pass(INTERVAL);

    assertThat(fixture.context.events(0)).isEmpty();
  }

  /** W24: removed partitions leave. */
  @Test
  void a_removed_topic_is_taken_from_its_readers_when_the_job_goes_on() {
    fixture.cluster.topic("t", 2, ID);
    continueWhenRemoved().start(2).reader(0).reader(1);
    fixture.cluster.missing("t");

    fixture.pass(INTERVAL.plusSeconds(5));

    for (int reader = 0; reader < 2; reader++) {
      assertThat(fixture.context.events(reader)).hasSize(1);
      assertThat(removed(reader)).containsExactlyInAnyOrder(t(0), t(1));
    }
  }

  /** W34. */
  @Test
  void a_topic_that_comes_again_later_is_read_as_a_new_one() {
    fixture.cluster.topic("t", 1, ID);
    continueWhenRemoved().start(1).reader(0);
    fixture.cluster.missing("t");
    fixture.pass(INTERVAL.plusSeconds(5));
    fixture.finished(0, t(0));
    fixture.cluster.topic("t", 1, OTHER_ID);

    fixture.pass(INTERVAL.plusSeconds(5));

    assertThat(fixture.context.assigned(0))
        .extracting(KorpseSplit::topicId)
        .containsExactly(ID, OTHER_ID);
  }

  /** W25: the same name is not the same topic. */
  @Test
  void a_topic_that_was_created_again_fails_the_job_by_default() {
    fixture.cluster.topic("t", 1, ID);
    fixture.start(1).reader(0);
    fixture.cluster.topic("t", 1, OTHER_ID);

    assertThatThrownBy(() -> fixture.pass(INTERVAL.plusSeconds(5)))
        .hasMessageContaining("created again")
        .hasMessageContaining("t-0");
  }

  @Test
  void a_topic_that_was_created_again_is_given_anew_only_when_its_reader_has_let_go() {
    fixture.cluster.topic("t", 1, ID);
    continueWhenRemoved().start(1).reader(0);
    fixture.cluster.topic("t", 1, OTHER_ID);
    fixture.pass(INTERVAL.plusSeconds(5));
    assertThat(removed(0)).containsExactly(t(0));
    assertThat(fixture.context.assigned(0)).hasSize(1);

    fixture.finished(0, t(0));

    assertThat(fixture.context.assigned(0)).hasSize(2);
    KorpseSplit anew = fixture.context.assigned(0).get(1);
    assertThat(anew.topicId()).isEqualTo(OTHER_ID);
    assertThat(anew.position().offset()).isEqualTo(10);
  }

  @Test
  void a_suspicion_of_a_reader_is_looked_into_at_once_even_without_discovery() {
    fixture.cluster.topic("t", 1, ID);
    continueWhenRemoved().withoutDiscovery().start(1).reader(0);
    fixture.cluster.topic("t", 1, OTHER_ID);

    fixture.enumerator.handleSourceEvent(0, new TopicSuspectedEvent(t(0)));
    fixture.pass(Duration.ofSeconds(2));

    assertThat(removed(0)).containsExactly(t(0));
  }

  /** The client only logs that it knows no such topic: the job would wait for its stop for ever. */
  @Test
  void a_bounded_source_whose_topic_is_deleted_fails_within_a_minute() {
    fixture.cluster.topic("t", 2, ID);
    fixture.bounded(OffsetRule.latest()).start(1).reader(0);
    fixture.cluster.missing("t");

    assertThatThrownBy(() -> fixture.pass(Duration.ofSeconds(62)))
        .hasMessageContaining("[t-0, t-1]")
        .hasMessageContaining("korpse.on-topic-removed");
  }

  @Test
  void a_restored_bounded_source_whose_topic_is_gone_fails_within_a_minute() {
    fixture.cluster.topic("t", 1, ID);
    fixture.bounded(OffsetRule.latest()).start(1).reader(0);
    EnumeratorState state = fixture.enumerator.snapshotState(1);
    KorpseSplit split = fixture.context.assigned(0).get(0);
    EnumeratorFixture restored = fixture.again().bounded(OffsetRule.latest());
    restored.cluster.missing("t");
    restored.restore(1, state).reader(0, split);

    assertThatThrownBy(() -> restored.pass(Duration.ofSeconds(62))).hasMessageContaining("[t-0]");
  }

  @Test
  void a_source_without_discovery_leaves_a_topic_that_is_deleted_and_reads_no_new_one() {
    fixture.cluster.topic("t", 1, ID);
    continueWhenRemoved().withoutDiscovery().start(1).reader(0);
    fixture.cluster.missing("t");
    fixture.pass(Duration.ofSeconds(62));
    assertThat(removed(0)).containsExactly(t(0));

    fixture.finished(0, t(0));
    fixture.cluster.topic("t", 2, OTHER_ID);
    fixture.pass(Duration.ofSeconds(62));

    assertThat(fixture.context.assigned(0)).hasSize(1);
  }

  @Test
  void a_bounded_source_does_not_miss_a_topic_that_it_has_read() {
    fixture.cluster.topic("t", 2, ID);
    fixture.bounded(OffsetRule.latest()).start(1).reader(0);
    fixture.finished(0, t(0));
    fixture.cluster.partitions().remove(t(0));

    fixture.pass(Duration.ofMinutes(3));

    assertThat(fixture.context.events(0)).isEmpty();
    assertThat(fixture.cluster.discoveries()).isGreaterThan(2);
  }

  @Test
  void a_source_without_discovery_does_not_fail_because_nobody_can_tell_what_is_gone() {
    fixture.cluster.topic("t", 1, ID);
    fixture.with(KorpseSourceOptions.DISCOVERY_FAILURES, 0);
    fixture.bounded(OffsetRule.latest()).start(1).reader(0);
    fixture.cluster.failNext(5);

    fixture.pass(Duration.ofMinutes(5));

    assertThat(fixture.cluster.discoveries()).isGreaterThan(6);
  }

  @Test
  void a_topic_created_again_under_a_bounded_source_only_leaves() {
    fixture.cluster.topic("t", 2, ID);
    continueWhenRemoved().bounded(OffsetRule.latest()).start(1);
    fixture.context.register(0);
    fixture.enumerator.addReader(0);
    fixture.cluster.topic("t", 2, OTHER_ID);
    fixture.enumerator.handleSourceEvent(0, new SplitsRestoredEvent(List.of()));
    fixture.enumerator.handleSourceEvent(0, new TopicSuspectedEvent(t(0)));
    fixture.pass(Duration.ofSeconds(2));

    fixture.finished(0, t(0), t(1)).pass(Duration.ofSeconds(5));

    assertThat(fixture.context.assigned(0)).hasSize(2);
  }

  @Test
  void a_topic_created_again_while_the_job_was_down_is_noticed_at_the_restore() {
    fixture.cluster.topic("t", 1, OTHER_ID);

    assertThatThrownBy(() -> fixture.restore(1, given(t(0))).reader(0, split(t(0))).pass(INTERVAL))
        .hasMessageContaining("created again");
  }

  @Test
  void a_split_that_was_removed_is_taken_from_a_reader_that_restores_it() {
    fixture.cluster.topic("t", 2, ID);
    continueWhenRemoved().start(1).reader(0);
    fixture.cluster.missing("t");
    fixture.pass(INTERVAL.plusSeconds(5));
    fixture.finished(0, t(0), t(1));
    fixture.context.unregister(0);

    fixture.reader(0, split(t(0)));

    assertThat(removals(0)).hasSize(2);
    assertThat(removed(1, 0)).containsExactly(t(0));
  }

  @Test
  void a_split_that_another_reader_was_given_meanwhile_is_taken_from_one_that_restores_it() {
    fixture.cluster.topic("t", 2, ID);
    continueWhenRemoved().start(2).reader(0).reader(1);
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
    assertThat(removals(0)).last().isNotNull();
    assertThat(removals(0).get(removals(0).size() - 1).partitions())
        .containsExactly(old.partition());
  }

  @Test
  void partitions_that_are_no_longer_subscribed_to_are_dropped() {
    TopicPartition old = new TopicPartition("old", 0);
    fixture.cluster.topic("t", 1, ID);

    fixture.restore(1, given(old, t(0))).reader(0, split(old), split(t(0)));

    assertThat(removed(0)).as("at once").containsExactly(old);
    fixture.finished(0, old).pass(INTERVAL);
    assertThat(removals(0)).hasSize(1);
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

    assertThat(removed(0)).containsExactly(old);
    assertThat(fixture.context.assigned(0)).isEmpty();
    fixture.finished(0, old).pass(Duration.ofSeconds(2));
    assertThat(fixture.context.isTold(0)).isTrue();
  }

  @Test
  void partitions_that_are_no_longer_subscribed_to_can_be_kept() {
    TopicPartition old = new TopicPartition("old", 0);
    fixture.cluster.topic("t", 1, ID);
    fixture.with(KorpseSourceOptions.ON_UNSUBSCRIBED, UnsubscribedPolicy.KEEP);

    fixture.restore(1, given(old)).reader(0, split(old)).pass(INTERVAL.plusSeconds(5));

    assertThat(fixture.context.events(0)).isEmpty();
    assertThat(fixture.context.assigned(0)).hasSize(1);
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

  private EnumeratorFixture continueWhenRemoved() {
    return fixture.with(KorpseSourceOptions.ON_TOPIC_REMOVED, TopicRemovalPolicy.CONTINUE);
  }

  private List<TopicPartition> removed(int reader) {
    return removed(0, reader);
  }

  private List<SplitsRemovedEvent> removals(int reader) {
    return fixture.context.events(reader).stream()
        .filter(SplitsRemovedEvent.class::isInstance)
        .map(SplitsRemovedEvent.class::cast)
        .toList();
  }

  private List<TopicPartition> removed(int event, int reader) {
    return removals(reader).get(event).partitions();
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
