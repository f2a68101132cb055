package io.korpse.flink.source.enumerator;

import static io.korpse.flink.source.enumerator.EnumeratorFixture.ID;
import static io.korpse.flink.source.enumerator.EnumeratorFixture.OTHER_ID;
import static io.korpse.flink.source.enumerator.EnumeratorFixture.t;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

/** Brokers before 2.8 give topics no id: what can be known without is known. */
final class OldBrokerTest {

  private static final Duration INTERVAL = Duration.ofSeconds(10);

  private final EnumeratorFixture fixture =
      new EnumeratorFixture().with(KorpseSourceOptions.DISCOVERY_INTERVAL, INTERVAL.toMillis());

  @Test
  void splits_come_without_an_id_and_removed_topics_are_noticed() {
    fixture.cluster.topic("t", 2, Uuid.ZERO_UUID);
    fixture.start(1).reader(0);
    assertThat(fixture.context.assigned(0))
        .hasSize(2)
        .extracting(KorpseSplit::topicId)
        .containsOnly(Uuid.ZERO_UUID);
    fixture.cluster.missing("t");

    assertThatThrownBy(() -> fixture.pass(INTERVAL.plusSeconds(5)))
        .hasMessageContaining("[t-0, t-1]");
  }

  @Test
  void an_id_that_comes_with_an_upgrade_is_taken_for_the_same_topic() {
    fixture.cluster.topic("t", 1, Uuid.ZERO_UUID);
    fixture.start(1).reader(0);
    fixture.cluster.topic("t", 1, ID);

    fixture.pass(INTERVAL.plusSeconds(5));

    assertThat(fixture.context.events(0)).isEmpty();
    assertThat(fixture.enumerator.snapshotState(1).given()).containsEntry(t(0), ID);
  }

  @Test
  void a_known_id_stays_known_while_old_brokers_answer() {
    fixture.cluster.topic("t", 1, ID);
    fixture.start(1).reader(0);
    fixture.cluster.topic("t", 1, Uuid.ZERO_UUID);
    fixture.pass(INTERVAL.plusSeconds(5));
    assertThat(fixture.context.events(0)).isEmpty();

    fixture.cluster.topic("t", 1, OTHER_ID);

    assertThatThrownBy(() -> fixture.pass(INTERVAL.plusSeconds(5)))
        .hasMessageContaining("created again");
  }

  @Test
  void a_restored_split_with_an_id_is_read_on() {
    fixture.cluster.topic("t", 1, Uuid.ZERO_UUID);
    KorpseSplit split =
        new KorpseSplit(t(0), new Position(7, 3), KorpseSplit.NO_STOP_OFFSET, ID, false);
    EnumeratorState state = new EnumeratorState(Map.of(t(0), ID), List.of(), Set.of(), true, false);

    fixture.restore(1, state).reader(0, split);
    fixture.pass(INTERVAL.plusSeconds(5));

    assertThat(fixture.context.events(0)).isEmpty();
  }
}
