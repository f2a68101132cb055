package io.korpse.flink.source.enumerator;

import static io.korpse.flink.source.enumerator.EnumeratorFixture.ID;
import static io.korpse.flink.source.enumerator.EnumeratorFixture.OTHER_ID;
import static io.korpse.flink.source.enumerator.EnumeratorFixture.t;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.UnsubscribedPolicy;
import io.korpse.flink.source.enumerator.event.SplitsRestoredEvent;
import io.korpse.flink.source.enumerator.event.TopicSuspectedEvent;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.OffsetRule;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Partitions that go and come again while the job runs. */
final class RemovalTest {

  private static final Duration INTERVAL = Duration.ofMinutes(5);

  private final EnumeratorFixture fixture = new EnumeratorFixture();

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

    assertThat(fixture.removed(0)).containsExactly(t(1));
  }

  @Test
  void what_a_custom_subscriber_names_and_is_gone_is_not_kept() {
    fixture.cluster.topic("t", 1, ID);
    fixture.with(KorpseSourceOptions.ON_UNSUBSCRIBED, UnsubscribedPolicy.KEEP);
    fixture.continueWhenRemoved().custom().start(1).reader(0);
    fixture.cluster.missing("t-0").without("t");

    fixture.pass(INTERVAL.plusSeconds(5));

    assertThat(fixture.removed(0)).containsExactly(t(0));
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
    fixture.continueWhenRemoved().start(2).reader(0).reader(1);
    fixture.cluster.missing("t");

    fixture.pass(INTERVAL.plusSeconds(5));

    for (int reader = 0; reader < 2; reader++) {
      assertThat(fixture.context.events(reader)).hasSize(1);
      assertThat(fixture.removed(reader)).containsExactlyInAnyOrder(t(0), t(1));
    }
  }

  /** W34. */
  @Test
  void a_topic_that_comes_again_later_is_read_as_a_new_one() {
    fixture.cluster.topic("t", 1, ID);
    fixture.continueWhenRemoved().start(1).reader(0);
    fixture.cluster.missing("t");
    fixture.pass(INTERVAL.plusSeconds(5));
    fixture.finished(0, t(0));
    fixture.cluster.topic("t", 1, OTHER_ID);

    fixture.pass(INTERVAL.plusSeconds(5));

    assertThat(fixture.context.assigned(0))
        .extracting(KorpseSplit::topicId)
        .containsExactly(ID, OTHER_ID);
  }

  /** The same name is not the same topic. */
  @Test
  void a_topic_that_was_created_again_fails_the_job_by_default() {
    fixture.cluster.topic("t", 1, ID);
    fixture.start(1).reader(0);
    fixture.cluster.topic("t", 1, OTHER_ID);

    assertThatThrownBy(() -> fixture.pass(INTERVAL.plusSeconds(5)))
        .hasMessageContaining("created again")
        .hasMessageContaining("t-0");
  }

  /** W25. */
  @Test
  void a_topic_that_was_created_again_is_given_anew_only_when_its_reader_has_let_go() {
    fixture.cluster.topic("t", 1, ID);
    fixture.continueWhenRemoved().start(1).reader(0);
    fixture.cluster.topic("t", 1, OTHER_ID);
    fixture.pass(INTERVAL.plusSeconds(5));
    assertThat(fixture.removed(0)).containsExactly(t(0));
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
    fixture.continueWhenRemoved().withoutDiscovery().start(1).reader(0);
    fixture.cluster.topic("t", 1, OTHER_ID);

    fixture.enumerator.handleSourceEvent(0, new TopicSuspectedEvent(t(0)));
    fixture.pass(Duration.ofSeconds(2));

    assertThat(fixture.removed(0)).containsExactly(t(0));
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
    fixture.continueWhenRemoved().withoutDiscovery().start(1).reader(0);
    fixture.cluster.missing("t");
    fixture.pass(Duration.ofSeconds(62));
    assertThat(fixture.removed(0)).containsExactly(t(0));

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
    fixture.continueWhenRemoved().bounded(OffsetRule.latest()).start(1);
    fixture.context.register(0);
    fixture.enumerator.addReader(0);
    fixture.cluster.topic("t", 2, OTHER_ID);
    fixture.enumerator.handleSourceEvent(0, new SplitsRestoredEvent(List.of()));
    fixture.enumerator.handleSourceEvent(0, new TopicSuspectedEvent(t(0)));
    fixture.pass(Duration.ofSeconds(2));

    fixture.finished(0, t(0), t(1)).pass(Duration.ofSeconds(5));

    assertThat(fixture.context.assigned(0)).hasSize(2);
  }
}
