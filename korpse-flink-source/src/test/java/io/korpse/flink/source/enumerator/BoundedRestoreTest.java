package io.korpse.flink.source.enumerator;

import static io.korpse.flink.source.enumerator.EnumeratorFixture.ID;
import static io.korpse.flink.source.enumerator.EnumeratorFixture.OTHER_ID;
import static io.korpse.flink.source.enumerator.EnumeratorFixture.t;
import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.TopicRemovalPolicy;
import io.korpse.flink.source.split.KorpseSplit;
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

/** Bounded sources that are restored, also from and as ones that are not bounded. */
final class BoundedRestoreTest {

  private final EnumeratorFixture fixture = new EnumeratorFixture();

  @Test
  void a_later_partition_that_waits_for_its_offsets_is_not_forgotten_by_a_restore() {
    fixture.cluster.topic("t", 2, ID).fail(t(1), true);
    KorpseSplit endless = split(0, KorpseSplit.NO_STOP_OFFSET);
    fixture.bounded(OffsetRule.latest()).restore(1, given(false, 0)).reader(0, endless);
    EnumeratorState state = fixture.enumerator.snapshotState(1);
    fixture.cluster.heal(t(1));

    EnumeratorFixture restored = fixture.again().bounded(OffsetRule.latest());
    restored.restore(1, state).reader(0, split(0, 100));

    assertThat(restored.context.assigned(0)).extracting(KorpseSplit::partition).contains(t(1));
    assertThat(restored.context.isTold(0)).isTrue();
  }

  @Test
  void an_unread_topic_that_was_created_again_is_not_forgotten_by_a_restore() {
    fixture.cluster.topic("t", 1, ID).fail(t(0), true);
    continueWhenRemoved(fixture).start(1).reader(0);
    fixture.cluster.topic("t", 1, OTHER_ID);
    fixture.pass(Duration.ofSeconds(65));
    EnumeratorState state = fixture.enumerator.snapshotState(1);
    fixture.cluster.heal(t(0));

    EnumeratorFixture restored = continueWhenRemoved(fixture.again());
    restored.restore(1, state).reader(0);

    assertThat(restored.context.assigned(0))
        .extracting(KorpseSplit::topicId)
        .containsExactly(OTHER_ID);
    assertThat(restored.context.isTold(0)).isTrue();
  }

  @Test
  void a_set_that_is_whole_stays_as_it_is_in_the_state() {
    fixture.cluster.topic("t", 2, ID).fail(t(1), true);
    fixture.bounded(OffsetRule.latest()).start(1).reader(0);
    assertThat(fixture.enumerator.snapshotState(1).complete())
        .as("what waits since the first look is in the state")
        .isTrue();

    fixture.cluster.heal(t(1));
    fixture.pass(Duration.ofSeconds(2));

    assertThat(fixture.enumerator.snapshotState(2).complete()).isTrue();
  }

  /** Its log said that it looked for new partitions, and it never did. */
  @Test
  void an_unbounded_source_looks_for_partitions_also_with_the_state_of_a_bounded_one() {
    fixture.cluster.topic("t", 1, ID);
    fixture.restore(1, given(true, 0)).reader(0, split(0, 90));
    fixture.cluster.topic("t", 2, ID);

    fixture.pass(Duration.ofMinutes(5));

    assertThat(fixture.context.assigned(0)).extracting(KorpseSplit::partition).contains(t(1));
    assertThat(fixture.context.isTold(0)).isFalse();
    assertThat(fixture.enumerator.snapshotState(1).complete()).isFalse();
  }

  @Test
  void splits_of_a_bounded_source_keep_their_stop_when_it_is_bounded_no_more() {
    KorpseSplit ready = split(1, 90);
    fixture.cluster.topic("t", 2, ID);
    EnumeratorState state =
        new EnumeratorState(Map.of(t(0), ID), List.of(ready), Set.of(), true, true);

    fixture.restore(1, state).reader(0, split(0, 90));

    assertThat(fixture.context.assigned(0)).containsExactly(ready);
    assertThat(fixture.context.events(0)).as("its own split is not asked about").isEmpty();
  }

  private static EnumeratorFixture continueWhenRemoved(EnumeratorFixture fixture) {
    return fixture
        .bounded(OffsetRule.latest())
        .with(KorpseSourceOptions.ON_TOPIC_REMOVED, TopicRemovalPolicy.CONTINUE);
  }

  private static KorpseSplit split(int partition, long stop) {
    return new KorpseSplit(t(partition), Position.of(20), stop, ID, false);
  }

  private static EnumeratorState given(boolean complete, int... partitions) {
    Map<TopicPartition, Uuid> given = new HashMap<>();
    for (int partition : partitions) {
      given.put(t(partition), ID);
    }
    return new EnumeratorState(given, List.of(), Set.of(), true, complete);
  }
}
