package io.korpse.offsets.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.offsets.Position;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

/** What other attempts and other programs have written to the group. */
final class ForeignCommitsTest extends CommitPlanFixture {

  @Test
  void corrects_and_counts_a_group_that_a_frozen_task_set_back() throws Exception {
    submit(1, Map.of(A, Position.of(10)));
    step.run();
    group.offsets.put(A, new OffsetAndMetadata(3));
    clock.advance(VERIFY);
    step.run();

    assertThat(group.offset(A)).isEqualTo(10);
    assertThat(status.stepsBack()).isEqualTo(1);
  }

  @Test
  void does_not_try_again_when_a_later_attempt_has_taken_over_meanwhile() throws Exception {
    group.gate = new CompletableFuture<>();
    group.gate.completeExceptionally(new TimeoutException("frozen"));
    submit(4, Map.of(A, Position.of(10), B, Position.of(10)));
    step.run();
    group.gate = null;
    clock.advance(Duration.ofSeconds(1));
    group.offsets.put(A, byAttempt("j/1", 5, 30));
    group.offsets.put(B, byAttempt("k/1", 5, 30));
    step.run();

    assertThat(group.offset(B)).isEqualTo(10);
    assertThat(group.offset(A)).isEqualTo(30);

    assertThat(status.refused()).containsEntry(A, "SUPERSEDED");

    submit(6, Map.of(A, Position.of(40)));
    waitsUntilSettled();
    assertThat(group.offset(A)).isEqualTo(40);
    assertThat(status.refused()).isEmpty();
  }

  @Test
  void a_later_checkpoint_with_the_same_positions_ends_the_silence() throws Exception {
    clock.advance(Duration.ofSeconds(1));
    group.offsets.put(A, byAttempt("j/1", 5, 3));
    submit(4, Map.of(A, Position.of(10)));
    step.run();
    assertThat(group.offset(A)).isEqualTo(3);

    submit(6, Map.of(A, Position.of(10)));
    waitsUntilSettled();
    assertThat(group.offset(A)).isEqualTo(10);
  }

  @Test
  void commits_without_checkpoints_whatever_an_attempt_with_checkpoints_wrote() throws Exception {
    clock.advance(Duration.ofSeconds(1));
    group.offsets.put(A, byAttempt("j/1", 5, 3));
    submit(-1, Map.of(A, Position.of(10)));
    step.run();

    assertThat(group.offset(A)).isEqualTo(10);
  }

  @Test
  void goes_back_to_an_older_savepoint_of_the_same_job() throws Exception {
    group.offsets.put(A, byAttempt("j/1", 120, 5_000));
    clock.advance(Duration.ofSeconds(1));
    submit(4, Map.of(A, Position.of(10)));
    step.run();

    assertThat(group.offset(A)).isEqualTo(10);
    assertThat(status.stepsBack()).isZero();
  }

  @Test
  void reads_the_group_again_after_others_were_members_of_it() throws Exception {
    String streams = "AgAAAAAAAABkAAAAAA==";
    submit(1, Map.of(A, Position.of(5)));
    step.run();
    group.members = List.of("another");
    submit(2, Map.of(A, Position.of(10)));
    step.run();
    group.offsets.put(A, new OffsetAndMetadata(50, streams));
    group.members = List.of();
    waitsUntilSettled();

    assertThat(group.offset(A)).isEqualTo(10);
    assertThat(group.metadata(A)).isEqualTo(streams);
    assertThat(status.stepsBack()).isEqualTo(1);
  }

  @Test
  void waits_until_what_the_group_holds_can_be_read() throws Exception {
    String streams = "AgAAAAAAAABkAAAAAA==";
    group.offsets.put(A, new OffsetAndMetadata(5, streams));
    group.unreadable.add(A);
    submit(1, Map.of(A, Position.of(10), B, Position.of(20)));
    step.run();
    assertThat(group.offset(A)).isEqualTo(5);
    assertThat(group.offset(B)).isEqualTo(20);
    assertThat(status.refused()).containsOnlyKeys(A);

    group.unreadable.clear();
    waitsUntilSettled();
    assertThat(group.offset(A)).isEqualTo(10);
    assertThat(group.metadata(A)).isEqualTo(streams);
    assertThat(status.refused()).isEmpty();
  }

  @Test
  void tries_again_when_what_is_in_the_group_is_older_or_its_own() throws Exception {
    group.gate = new CompletableFuture<>();
    group.gate.completeExceptionally(new TimeoutException("slow"));
    submit(4, Map.of(A, Position.of(10), B, Position.of(10)));
    step.run();
    group.gate = null;
    clock.advance(Duration.ofSeconds(1));
    group.offsets.put(A, byAttempt("j/0", 9, 3));
    group.offsets.put(B, byAttempt("j/7", 4, 3));
    waitsUntilSettled();

    assertThat(group.offset(A)).isEqualTo(10);
    assertThat(group.offset(B)).isEqualTo(10);
  }

  private OffsetAndMetadata byAttempt(String identity, long checkpoint, long offset) {
    return new OffsetAndMetadata(
        offset,
        CommitMetadata.compose(
            identity, checkpoint, clock.millis(), null, CommitMetadata.Detail.FULL));
  }

  @Test
  void puts_a_commit_back_that_was_deleted() throws Exception {
    submit(1, Map.of(A, Position.of(10)));
    step.run();
    group.offsets.remove(A);
    clock.advance(VERIFY);
    step.run();

    assertThat(group.offset(A)).isEqualTo(10);
    assertThat(status.stepsBack()).isZero();
  }
}
