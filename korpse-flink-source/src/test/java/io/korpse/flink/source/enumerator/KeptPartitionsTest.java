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
import io.korpse.flink.source.enumerator.event.TopicSuspectedEvent;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.OffsetRule;
import io.korpse.offsets.Position;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Partitions that are read on although nobody subscribes to them any more. */
final class KeptPartitionsTest {

  private static final Duration INTERVAL = Duration.ofMinutes(5);
  private static final TopicPartition OLD = new TopicPartition("old", 0);

  private final EnumeratorFixture fixture =
      new EnumeratorFixture().with(KorpseSourceOptions.ON_UNSUBSCRIBED, UnsubscribedPolicy.KEEP);

  KeptPartitionsTest() {
    fixture.cluster.topic("t", 1, ID).unsubscribed("old", 2, ID);
  }

  @Test
  void they_are_read_on_and_no_others_of_their_topic() {
    restore().pass(INTERVAL.plusSeconds(5));

    assertThat(fixture.context.events(0)).isEmpty();
    assertThat(fixture.context.assigned(0))
        .extracting(KorpseSplit::partition)
        .containsExactly(t(0));
  }

  @Test
  void what_a_custom_subscriber_no_longer_names_is_read_on() {
    fixture.custom();

    restore().pass(INTERVAL.plusSeconds(5));

    assertThat(fixture.context.events(0)).isEmpty();
  }

  @Test
  void a_topic_that_is_deleted_fails_the_job_by_default() {
    restore();
    fixture.cluster.without("old");

    assertThatThrownBy(() -> fixture.pass(INTERVAL.plusSeconds(5)))
        .hasMessageContaining("no longer exist")
        .hasMessageContaining("[old-0]")
        .hasMessageContaining("korpse.on-topic-removed");
  }

  @Test
  void a_topic_that_is_deleted_leaves_when_the_job_goes_on() {
    continueWhenRemoved();
    restore();
    fixture.cluster.without("old");

    fixture.pass(INTERVAL.plusSeconds(5));

    assertThat(removed()).containsExactly(OLD);
  }

  /** The split would wait for its stop for ever. */
  @Test
  void a_bounded_source_ends_without_a_topic_that_is_deleted() {
    continueWhenRemoved().bounded(OffsetRule.latest());
    KorpseSplit old = new KorpseSplit(OLD, Position.of(5), 90, ID, false);
    EnumeratorState state = new EnumeratorState(Map.of(OLD, ID), List.of(), Set.of(), true, true);
    fixture.restore(1, state).reader(0, old);
    fixture.cluster.without("old");

    fixture.pass(Duration.ofSeconds(62));

    assertThat(removed()).containsExactly(OLD);
  }

  @Test
  void a_topic_that_is_created_again_fails_the_job_by_default() {
    restore();
    fixture.cluster.unsubscribed("old", 2, OTHER_ID);

    assertThatThrownBy(() -> fixture.pass(INTERVAL.plusSeconds(5)))
        .hasMessageContaining("created again")
        .hasMessageContaining("old-0");
  }

  /** It leaves within the minute after which its reader fails the job. */
  @Test
  void a_topic_that_is_created_again_leaves_at_once_when_suspected_and_is_not_read_anew() {
    continueWhenRemoved();
    restore();
    fixture.cluster.unsubscribed("old", 2, OTHER_ID);

    fixture.enumerator.handleSourceEvent(0, new TopicSuspectedEvent(OLD));
    fixture.pass(Duration.ofSeconds(2));
    assertThat(removed()).containsExactly(OLD);
    fixture.finished(0, OLD).pass(INTERVAL.plusSeconds(5));

    assertThat(fixture.context.assigned(0))
        .extracting(KorpseSplit::partition)
        .containsExactly(t(0));
  }

  @Test
  void a_topic_that_is_created_again_before_it_was_given_to_a_reader_is_not_read() {
    continueWhenRemoved();
    KorpseSplit unread = split(OLD);
    fixture.restore(1, new EnumeratorState(Map.of(), List.of(unread), Set.of(), true, false));
    fixture.cluster.unsubscribed("old", 2, OTHER_ID);
    fixture.pass(INTERVAL.plusSeconds(5));

    fixture.reader(0);

    assertThat(fixture.context.assigned(0))
        .extracting(KorpseSplit::partition)
        .containsExactly(t(0));
  }

  private EnumeratorFixture continueWhenRemoved() {
    return fixture.with(KorpseSourceOptions.ON_TOPIC_REMOVED, TopicRemovalPolicy.CONTINUE);
  }

  private EnumeratorFixture restore() {
    EnumeratorState state = new EnumeratorState(Map.of(OLD, ID), List.of(), Set.of(), true, false);
    return fixture.restore(1, state).reader(0, split(OLD));
  }

  private List<TopicPartition> removed() {
    return fixture.context.events(0).stream()
        .filter(SplitsRemovedEvent.class::isInstance)
        .flatMap(event -> ((SplitsRemovedEvent) event).partitions().stream())
        .toList();
  }

  private static KorpseSplit split(TopicPartition partition) {
    return new KorpseSplit(partition, Position.of(5), KorpseSplit.NO_STOP_OFFSET, ID, false);
  }
}
