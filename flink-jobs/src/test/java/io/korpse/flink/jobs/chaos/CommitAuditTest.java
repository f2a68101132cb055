package io.korpse.flink.jobs.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

final class CommitAuditTest {

  private static final TopicPartition P0 = new TopicPartition("numbers", 0);

  private final CheckpointPositions checkpoints = new CheckpointPositions(List.of());
  private final CommitAudit audit = new CommitAudit(checkpoints);

  @Test
  void traces_a_commit_to_the_checkpoint_that_it_names() {
    checkpoints.add(7, Map.of(P0, 100L));
    audit.replay(P0, commit(100, 7));

    assertThat(audit.traced()).isEqualTo(1);
    assertThat(audit.untraced() + audit.ahead() + audit.back()).isZero();
  }

  @Test
  void a_commit_of_a_checkpoint_that_is_not_known_or_holds_another_position_is_not_traced() {
    checkpoints.add(9, Map.of(P0, 120L));
    audit.replay(P0, commit(100, 7));
    audit.replay(P0, commit(119, 9));

    assertThat(audit.untraced()).isEqualTo(2);
    assertThat(audit.ahead() + audit.back()).isZero();
  }

  @Test
  void names_a_position_beyond_all_completed_checkpoints_once() {
    checkpoints.add(7, Map.of(P0, 100L));
    audit.watch(Map.of(P0, commit(101, 7)));
    audit.watch(Map.of(P0, commit(101, 7)));

    assertThat(audit.ahead()).isEqualTo(1);
    assertThat(audit.details()).singleElement().asString().contains("numbers-0 at 101", "hold 100");
  }

  @Test
  void names_a_commit_that_goes_back() {
    checkpoints.add(7, Map.of(P0, 100L));
    checkpoints.add(8, Map.of(P0, 110L));
    audit.replay(P0, commit(110, 8));
    audit.replay(P0, commit(100, 7));
    audit.replay(P0, commit(110, 8));

    assertThat(audit.back()).isEqualTo(1);
    assertThat(audit.details()).singleElement().asString().contains("before at 110");
  }

  @Test
  void an_older_answer_of_a_new_coordinator_is_not_a_commit() {
    checkpoints.add(8, Map.of(P0, 110L));
    audit.watch(Map.of(P0, commit(110, 8)));
    audit.watch(Map.of(P0, commit(100, 7)));

    assertThat(audit.back() + audit.ahead()).isZero();
  }

  private static OffsetAndMetadata commit(long offset, long checkpoint) {
    return new OffsetAndMetadata(
        offset, "korpse/1 job=copy#0 checkpoint=" + checkpoint + " at=2026-01-01T00:00Z");
  }
}
