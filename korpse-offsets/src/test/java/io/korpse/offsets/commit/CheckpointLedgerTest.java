package io.korpse.offsets.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.offsets.Position;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CheckpointLedgerTest {

  private final CheckpointLedger ledger = new CheckpointLedger();

  @Test
  void gives_the_positions_of_a_complete_checkpoint_once() {
    ledger.snapshot(1, at(10));

    assertThat(ledger.complete(1)).contains(at(10));
    assertThat(ledger.complete(1)).isEmpty();
    assertThat(ledger.size()).isZero();
  }

  @Test
  void forgets_older_checkpoints_when_one_completes() {
    ledger.snapshot(1, at(10));
    ledger.snapshot(2, at(20));

    assertThat(ledger.complete(2)).contains(at(20));
    assertThat(ledger.complete(1)).isEmpty();
  }

  @Test
  void keeps_a_newer_checkpoint_when_an_older_one_completes() {
    ledger.snapshot(1, at(10));
    ledger.snapshot(2, at(20));

    assertThat(ledger.complete(1)).contains(at(10));
    assertThat(ledger.complete(2)).contains(at(20));
  }

  @Test
  void forgets_an_aborted_checkpoint() {
    ledger.snapshot(1, at(10));
    ledger.abort(1);

    assertThat(ledger.complete(1)).isEmpty();
  }

  /** W43. */
  @Test
  void holds_at_most_two_checkpoints_when_none_ever_completes() {
    for (int id = 0; id < 1_000; id++) {
      ledger.snapshot(id, at(id));
      assertThat(ledger.size()).isLessThanOrEqualTo(2);
    }
    assertThat(ledger.complete(999)).contains(at(999));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 20})
  void commits_go_on_however_many_checkpoints_run_at_a_time(int concurrent) {
    long lastCommitted = 0;
    for (int id = 1; id <= 1_000; id++) {
      ledger.snapshot(id, at(id));
      int complete = id - concurrent + 1;
      if (complete >= 1) {
        long committed =
            ledger
                .complete(complete)
                .map(positions -> positions.values().iterator().next().offset())
                .orElse(lastCommitted);
        assertThat(committed).isBetween(lastCommitted, (long) complete);
        assertThat(complete - committed).isLessThanOrEqualTo(2L * concurrent);
        lastCommitted = committed;
      }
    }
    assertThat(lastCommitted).isGreaterThan(1_000 - 3L * concurrent);
  }

  private static Map<TopicPartition, Position> at(long offset) {
    return Map.of(new TopicPartition("t", 0), Position.of(offset));
  }

  @Test
  void forgets_a_partition_whose_log_was_cut() {
    TopicPartition cut = new TopicPartition("t", 0);
    TopicPartition whole = new TopicPartition("t", 1);
    ledger.snapshot(1, new HashMap<>(Map.of(cut, Position.of(120), whole, Position.of(7))));
    ledger.forget(cut);

    assertThat(ledger.complete(1)).contains(Map.of(whole, Position.of(7)));
  }
}
