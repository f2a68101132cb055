package io.korpse.flink.jobs.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

final class ChaosResultTest {

  private static final TopicPartition P0 = new TopicPartition("numbers", 0);

  private final CheckpointPositions checkpoints = new CheckpointPositions(List.of());
  private final CommitAudit audit = new CommitAudit(checkpoints);

  @Test
  void is_clean_when_each_commit_is_traced_to_its_checkpoint() {
    checkpoints.add(7, Map.of(P0, 100L));
    commit(100, 7);

    assertThat(result().clean()).isTrue();
  }

  @Test
  void a_commit_of_no_known_checkpoint_is_not_clean() {
    commit(100, 7);

    assertThat(result().clean()).isFalse();
  }

  private ChaosResult result() {
    return new ChaosResult(1, List.of(), new Verdict(), audit);
  }

  private void commit(long offset, long checkpoint) {
    audit.replay(
        P0,
        new OffsetAndMetadata(
            offset, "korpse/1 job=a/0#0 checkpoint=" + checkpoint + " at=2026-01-01T00:00Z"));
  }
}
