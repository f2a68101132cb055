package io.korpse.flink.source.enumerator;

import static io.korpse.flink.source.enumerator.EnumeratorFixture.ID;
import static io.korpse.flink.source.enumerator.EnumeratorFixture.t;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.TopicRemovalPolicy;
import io.korpse.flink.source.enumerator.event.SplitsFinishedEvent;
import io.korpse.flink.source.enumerator.event.SplitsRemovedEvent;
import io.korpse.flink.source.enumerator.event.SplitsRestoredEvent;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.OffsetRule;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several attempts of one reader at once, as in batch jobs with speculative execution. */
final class SpeculativeReadersTest {

  private final EnumeratorFixture fixture = new EnumeratorFixture();

  @BeforeEach
  void twoPartitions() {
    fixture.cluster.topic("t", 2, ID);
    fixture.bounded(OffsetRule.latest());
  }

  @Test
  void a_second_attempt_changes_nothing_for_the_first() {
    fixture.start(1);
    attempt(0);
    assertThat(fixture.context.assigned(0)).hasSize(2);
    assertThat(fixture.context.isTold(0)).isTrue();

    attempt(1);

    assertThat(fixture.context.assigned(0)).hasSize(2);
    assertThat(fixture.enumerator.snapshotState(1).given()).containsOnlyKeys(t(0), t(1));
  }

  @Test
  void an_attempt_goes_on_when_the_other_has_failed() {
    fixture.start(1);
    attempt(0);
    attempt(1);
    fixture.context.unregister(0, 0);
    tell(0, new SplitsFinishedEvent(List.of(t(0))));
    fixture.pass(Duration.ofSeconds(2));

    attempt(2);

    assertThat(fixture.context.assigned(0)).hasSize(2);
    assertThat(fixture.enumerator.snapshotState(1).given()).containsOnlyKeys(t(0), t(1));
  }

  @Test
  void when_all_attempts_have_failed_the_next_is_given_all_and_told() {
    fixture.start(1);
    attempt(0);
    attempt(1);
    List<KorpseSplit> given = List.copyOf(fixture.context.assigned(0));

    fixture.context.reset(0);
    fixture.enumerator.addSplitsBack(given, 0);
    attempt(2);

    assertThat(fixture.context.assigned(0)).containsExactlyInAnyOrderElementsOf(given);
    assertThat(fixture.context.isTold(0)).isTrue();
  }

  /** One attempt is through with it, the other would wait for its stop for ever. */
  @Test
  void a_topic_that_is_deleted_before_every_attempt_has_read_it_fails_the_job() {
    fixture.start(1);
    attempt(0);
    attempt(1);
    tell(0, new SplitsFinishedEvent(List.of(t(0), t(1))));
    fixture.cluster.without("t");

    assertThatThrownBy(() -> fixture.pass(Duration.ofMinutes(2))).hasMessageContaining("t-0");
  }

  @Test
  void every_attempt_is_told_of_a_topic_that_is_gone_also_a_later_one() {
    fixture.with(KorpseSourceOptions.ON_TOPIC_REMOVED, TopicRemovalPolicy.CONTINUE).start(1);
    attempt(0);
    attempt(1);
    fixture.cluster.without("t");
    fixture.pass(Duration.ofMinutes(2));
    assertThat(removed(0)).containsExactlyInAnyOrder(t(0), t(1));
    assertThat(removed(1)).containsExactlyInAnyOrder(t(0), t(1));

    assertThat(fixture.enumerator.snapshotState(1).given()).as("still leaving").isEmpty();

    attempt(2);
    assertThat(removed(2)).containsExactlyInAnyOrder(t(0), t(1));
  }

  /** The attempt that was through with its split does not say that it has let go of it. */
  @Test
  void a_reader_that_starts_again_is_told_though_what_another_had_read_is_gone() {
    fixture.with(KorpseSourceOptions.ON_TOPIC_REMOVED, TopicRemovalPolicy.CONTINUE).start(2);
    attempt(0, 0);
    attempt(1, 0);
    List<KorpseSplit> given = List.copyOf(fixture.context.assigned(1));
    assertThat(given).hasSize(1);
    tell(0, new SplitsFinishedEvent(List.of(fixture.context.assigned(0).get(0).partition())));
    fixture.cluster.without("t");
    fixture.pass(Duration.ofMinutes(2));

    fixture.context.reset(1);
    fixture.enumerator.addSplitsBack(given, 1);
    attempt(1, 1);
    fixture.pass(Duration.ofMinutes(2));

    assertThat(fixture.context.isTold(1)).isTrue();
    assertThat(fixture.context.assigned(1)).isEmpty();
  }

  private void attempt(int attempt) {
    attempt(0, attempt);
  }

  private void attempt(int reader, int attempt) {
    if (fixture.context.register(reader, attempt)) {
      fixture.enumerator.addReader(reader);
    }
    tell(reader, attempt, new SplitsRestoredEvent(List.of()));
  }

  private void tell(int attempt, SourceEvent event) {
    tell(0, attempt, event);
  }

  private void tell(int reader, int attempt, SourceEvent event) {
    fixture.enumerator.handleSourceEvent(reader, attempt, event);
    fixture.context.run();
  }

  private List<TopicPartition> removed(int attempt) {
    return fixture.context.events(0, attempt).stream()
        .filter(SplitsRemovedEvent.class::isInstance)
        .flatMap(event -> ((SplitsRemovedEvent) event).partitions().stream())
        .distinct()
        .toList();
  }
}
