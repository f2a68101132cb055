package io.korpse.offsets.commit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CommitTimeoutTest {

  private final CommitTimeout timeout = new CommitTimeout(5_000);

  @Test
  void is_the_longest_until_two_checkpoints_have_come() {
    assertThat(timeout.millis()).isEqualTo(5_000);
    timeout.submitted(7, 1_000);
    assertThat(timeout.millis()).isEqualTo(5_000);
  }

  @ParameterizedTest
  @CsvSource({"700, 525", "1000, 750", "4000, 3000", "60000, 5000", "100, 500"})
  void is_below_the_interval_of_the_checkpoints(long interval, long expected) {
    for (int id = 1; id <= 3; id++) {
      timeout.submitted(id, id * interval);
    }
    assertThat(timeout.millis()).isEqualTo(expected);
  }

  @Test
  void counts_the_checkpoints_that_failed_between_two_that_did_not() {
    timeout.submitted(1, 0);
    timeout.submitted(5, 4_000);
    assertThat(timeout.millis()).isEqualTo(750);
  }

  @Test
  void is_not_shortened_by_a_savepoint_soon_after_a_checkpoint() {
    timeout.submitted(1, 0);
    timeout.submitted(2, 4_000);
    timeout.submitted(3, 4_010);
    assertThat(timeout.millis()).isEqualTo(3_000);
  }

  @Test
  void follows_an_interval_that_changes() {
    timeout.submitted(1, 0);
    timeout.submitted(2, 4_000);
    timeout.submitted(3, 5_000);
    timeout.submitted(4, 6_000);
    assertThat(timeout.millis()).isEqualTo(750);
  }

  @Test
  void learns_nothing_from_commits_without_checkpoints_or_from_one_that_comes_twice() {
    timeout.submitted(-1, 0);
    timeout.submitted(-1, 1_000);
    timeout.submitted(4, 2_000);
    timeout.submitted(4, 2_001);
    assertThat(timeout.millis()).isEqualTo(5_000);
  }
}
