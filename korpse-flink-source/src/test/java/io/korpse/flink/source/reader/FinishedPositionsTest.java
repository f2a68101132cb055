package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.offsets.Position;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

final class FinishedPositionsTest {

  private static final TopicPartition ONE = new TopicPartition("t", 1);
  private static final TopicPartition TWO = new TopicPartition("t", 2);

  private final FinishedPositions finished = new FinishedPositions();

  @Test
  void are_in_each_checkpoint_until_one_is_complete() {
    finished.put(ONE, Position.of(10));
    assertThat(snapshot(1)).containsEntry(ONE, Position.of(10));
    finished.put(TWO, Position.of(20));
    assertThat(snapshot(2)).containsEntry(ONE, Position.of(10)).containsEntry(TWO, Position.of(20));

    finished.complete(1);
    assertThat(snapshot(3)).containsOnlyKeys(TWO);
    finished.complete(3);
    assertThat(snapshot(4)).isEmpty();
  }

  @Test
  void a_checkpoint_before_the_end_does_not_have_it() {
    assertThat(snapshot(1)).isEmpty();
    finished.put(ONE, Position.of(10));
    finished.complete(1);

    assertThat(snapshot(2)).containsOnlyKeys(ONE);
  }

  @Test
  void where_a_split_is_says_more_than_where_its_predecessor_ended() {
    finished.put(ONE, Position.of(10));
    Map<TopicPartition, Position> live = new HashMap<>(Map.of(ONE, Position.of(3)));
    finished.addTo(live);

    assertThat(live).containsExactly(Map.entry(ONE, Position.of(3)));
  }

  @Test
  void do_not_grow_with_checkpoints_that_neither_complete_nor_abort() {
    for (int id = 1; id <= 1_000; id++) {
      finished.put(ONE, Position.of(id));
      snapshot(id);
    }
    assertThat(finished.size()).isEqualTo(1);
  }

  private Map<TopicPartition, Position> snapshot(long id) {
    Map<TopicPartition, Position> positions = new HashMap<>();
    finished.snapshot(id, positions);
    return positions;
  }
}
