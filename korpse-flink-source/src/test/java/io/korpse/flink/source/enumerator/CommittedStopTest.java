package io.korpse.flink.source.enumerator;

import static io.korpse.flink.source.enumerator.EnumeratorFixture.ID;
import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.OffsetRule;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The source commits to the group that says where it stops. */
final class CommittedStopTest {

  private final EnumeratorFixture fixture = new EnumeratorFixture();

  /** W6. */
  @Test
  void a_stop_at_the_committed_offset_is_a_number_and_not_asked_for_again() {
    fixture.cluster.topic("t", 1, ID);
    fixture.bounded(OffsetRule.committed()).start(1).reader(0);
    List<KorpseSplit> given = fixture.context.assigned(0);
    EnumeratorState state = fixture.enumerator.snapshotState(1);

    assertThat(given).extracting(KorpseSplit::stopOffset).containsExactly(50L);

    fixture.cluster.asked().clear();
    EnumeratorFixture restored = fixture.again().bounded(OffsetRule.committed());
    restored.restore(1, state).reader(0, given.toArray(KorpseSplit[]::new));

    assertThat(fixture.cluster.asked()).isEmpty();
    assertThat(restored.context.isTold(0)).isTrue();
  }
}
