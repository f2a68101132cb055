package io.korpse.flink.jobs.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

final class ChaosResultTest {

  private static final TopicPartition P0 = new TopicPartition("numbers", 0);
  private static final TopicPartition P1 = new TopicPartition("numbers", 1);

  private final CheckpointPositions checkpoints = new CheckpointPositions(List.of());
  private final CommitAudit audit = new CommitAudit(checkpoints);

  @Test
  void is_clean_when_each_commit_is_traced_to_its_checkpoint() {
    checkpoints.add(7, Map.of(P0, 100L));
    commit(P0, 100, "a/0#0", 7);

    assertThat(result().clean()).isTrue();
  }

  @Test
  void a_commit_of_no_known_checkpoint_is_not_clean() {
    commit(P0, 100, "a/0#0", 7);

    assertThat(result().clean()).isFalse();
  }

  @Test
  void one_late_request_of_a_frozen_attempt_is_clean() {
    checkpoints.add(7, Map.of(P0, 100L, P1, 100L));
    checkpoints.add(8, Map.of(P0, 110L, P1, 110L));
    for (TopicPartition partition : List.of(P0, P1)) {
      commit(partition, 110, "a/0#1", 8);
      commit(partition, 100, "a/0#0", 7);
    }

    assertThat(result("a/0#0").clean()).isTrue();
  }

  @Test
  void a_commit_that_another_attempt_sets_back_is_not_clean() {
    checkpoints.add(7, Map.of(P0, 100L));
    checkpoints.add(8, Map.of(P0, 110L));
    commit(P0, 110, "a/0#1", 8);
    commit(P0, 100, "a/0#0", 7);

    assertThat(result("a/1#0").clean()).isFalse();
    assertThat(result().clean()).isFalse();
  }

  @Test
  void a_second_late_request_of_a_frozen_attempt_is_not_clean() {
    checkpoints.add(6, Map.of(P0, 90L));
    checkpoints.add(7, Map.of(P0, 100L));
    checkpoints.add(8, Map.of(P0, 110L));
    commit(P0, 110, "a/0#1", 8);
    commit(P0, 100, "a/0#0", 7);
    commit(P0, 90, "a/0#0", 6);

    assertThat(result("a/0#0").clean()).isFalse();
  }

  private ChaosResult result(String... frozen) {
    return new ChaosResult(1, List.of(), new Verdict(), audit, Set.of(frozen));
  }

  private void commit(TopicPartition partition, long offset, String attempt, long checkpoint) {
    String metadata =
        "korpse/1 job=%s checkpoint=%d at=2026-01-01T00:00Z".formatted(attempt, checkpoint);
    audit.replay(partition, new OffsetAndMetadata(offset, metadata));
  }
}
