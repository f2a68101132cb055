package io.korpse.offsets.lag;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

/** Burrow's rules; a round per second, a window of a minute. */
final class LagWindowTest {

  private static final long MINUTE = Duration.ofMinutes(1).toMillis();
  private static final long CHECKPOINT = Duration.ofSeconds(10).toMillis();

  private LagWindow window = new LagWindow(MINUTE, 3 * CHECKPOINT);
  private long second;
  private long position = 100;
  private long end = 100;
  private boolean isCommitting = true;
  private long committed = -1;

  @Test
  void caught_up_is_ok_however_long_nothing_happens() {
    assertThat(run(600, at -> at, at -> at)).isEqualTo(LagStatus.OK);
  }

  @Test
  void a_constant_lag_that_moves_is_a_warning_only_after_a_whole_window() {
    end += 50;

    assertThat(run(50, at -> at + 10, at -> at + 10)).isEqualTo(LagStatus.OK);
    assertThat(run(30, at -> at + 10, at -> at + 10)).isEqualTo(LagStatus.WARNING);
  }

  @Test
  void a_growing_lag_is_a_warning() {
    assertThat(run(120, at -> at + 10, at -> at + 20)).isEqualTo(LagStatus.WARNING);
  }

  @Test
  void a_shrinking_lag_is_ok() {
    end += 1_000_000;

    assertThat(run(300, at -> at + 20, at -> at + 10)).isEqualTo(LagStatus.OK);
  }

  @Test
  void one_moment_without_lag_in_the_window_is_ok() {
    run(120, at -> at + 10, at -> at + 20);
    position = end;
    run(1, at -> at, at -> at);

    assertThat(run(40, at -> at + 10, at -> at + 20)).isEqualTo(LagStatus.OK);
  }

  @Test
  void standing_still_with_lag_is_stopped_and_after_a_whole_window_stalled() {
    end += 1_000_000;
    run(20, at -> at + 10, at -> at);

    assertThat(run(10, at -> at, at -> at)).isEqualTo(LagStatus.OK);
    assertThat(run(20, at -> at, at -> at)).isEqualTo(LagStatus.STOPPED);
    assertThat(run(40, at -> at, at -> at)).isEqualTo(LagStatus.STALLED);
    assertThat(run(2, at -> at + 1, at -> at)).isNotEqualTo(LagStatus.STALLED);
  }

  @Test
  void never_having_moved_with_lag_is_stalled_after_a_window() {
    end += 10;

    assertThat(run(59, at -> at, at -> at)).isEqualTo(LagStatus.OK);
    assertThat(run(3, at -> at, at -> at)).isEqualTo(LagStatus.STALLED);
  }

  @Test
  void the_first_record_after_a_long_quiet_time_is_no_alarm() {
    run(600, at -> at, at -> at);
    end += 1;

    assertThat(run(10, at -> at, at -> at)).isEqualTo(LagStatus.OK);
  }

  @Test
  void a_slow_topic_with_bursts_is_ok() {
    for (int burst = 0; burst < 20; burst++) {
      end += 100;
      assertThat(run(2, at -> at, at -> at)).isEqualTo(LagStatus.OK);
      position = end;
      assertThat(run(28, at -> at, at -> at)).isEqualTo(LagStatus.OK);
    }
  }

  @Test
  void going_back_is_rewound_until_the_old_position_is_reached_again() {
    run(10, at -> at + 10, at -> at + 10);
    position -= 50;

    assertThat(run(1, at -> at, at -> at)).isEqualTo(LagStatus.REWOUND);
    assertThat(run(4, at -> at + 10, at -> at)).isEqualTo(LagStatus.REWOUND);
    assertThat(run(1, at -> at + 10, at -> at)).isEqualTo(LagStatus.OK);
  }

  @Test
  void work_that_is_not_committed_for_three_checkpoints_is_a_finding() {
    isCommitting = false;
    end += 1_000_000;
    assertThat(run(29, at -> at + 10, at -> at)).isEqualTo(LagStatus.OK);
    assertThat(run(5, at -> at + 10, at -> at)).isEqualTo(LagStatus.NOT_COMMITTING);
  }

  @Test
  void commits_that_follow_are_ok_whatever_their_interval() {
    isCommitting = false;
    end += 1_000_000;
    for (int checkpoint = 0; checkpoint < 20; checkpoint++) {
      assertThat(run(10, at -> at + 10, at -> at)).isEqualTo(LagStatus.OK);
      committed = position;
    }
  }

  @Test
  void commits_that_stop_are_a_finding_also_when_no_interval_was_given() {
    isCommitting = false;
    window = new LagWindow(MINUTE, LagWindow.LEARN);
    end += 1_000_000;
    assertThat(run(100, at -> at + 10, at -> at)).as("not yet").isEqualTo(LagStatus.OK);
    for (int checkpoint = 0; checkpoint < 10; checkpoint++) {
      committed = position;
      assertThat(run(20, at -> at + 10, at -> at)).isEqualTo(LagStatus.OK);
    }
    assertThat(run(38, at -> at + 10, at -> at)).isEqualTo(LagStatus.OK);
    assertThat(run(10, at -> at + 10, at -> at)).isEqualTo(LagStatus.NOT_COMMITTING);
    committed = position;
    assertThat(run(1, at -> at + 10, at -> at)).isEqualTo(LagStatus.OK);
  }

  @Test
  void work_without_any_commit_is_a_finding_after_ten_windows() {
    isCommitting = false;
    window = new LagWindow(MINUTE, LagWindow.LEARN);
    committed = 100;
    end += 1_000_000;
    assertThat(run(600, at -> at + 10, at -> at)).isEqualTo(LagStatus.OK);
    assertThat(run(5, at -> at + 10, at -> at)).isEqualTo(LagStatus.NOT_COMMITTING);
  }

  @Test
  void where_nobody_has_committed_none_is_expected_before_the_first() {
    isCommitting = false;
    window = new LagWindow(MINUTE, LagWindow.LEARN_FROM_FIRST);
    end += 1_000_000;
    assertThat(run(1_200, at -> at + 10, at -> at)).isEqualTo(LagStatus.OK);
    committed = position;
    assertThat(run(600, at -> at + 10, at -> at)).isEqualTo(LagStatus.OK);
    assertThat(run(5, at -> at + 10, at -> at)).isEqualTo(LagStatus.NOT_COMMITTING);
  }

  @Test
  void a_quiet_night_is_not_taken_for_the_usual_time_between_commits() {
    isCommitting = false;
    window = new LagWindow(MINUTE, LagWindow.LEARN);
    for (int checkpoint = 0; checkpoint < 10; checkpoint++) {
      assertThat(run(10, at -> at + 10, at -> at + 10)).isEqualTo(LagStatus.OK);
      committed = position;
    }
    assertThat(run(8 * 3_600, at -> at, at -> at)).isEqualTo(LagStatus.OK);
    assertThat(run(10, at -> at + 10, at -> at + 10)).isEqualTo(LagStatus.OK);
    committed = position;
    assertThat(run(25, at -> at + 10, at -> at + 10)).isEqualTo(LagStatus.OK);
    assertThat(run(15, at -> at + 10, at -> at + 10)).isEqualTo(LagStatus.NOT_COMMITTING);
  }

  @Test
  void the_age_of_uncommitted_work_stays_known_to_a_few_percent_however_old() {
    LagWindow unwatched = new LagWindow(MINUTE, Long.MAX_VALUE);
    for (long now = 0; now <= 10_000; now++) {
      unwatched.observe(now * 1_000, now, 0);
    }
    assertThat(unwatched.uncommittedSince()).isEqualTo(1_000);
    unwatched.observe(10_001_000, 10_001, 5_000);

    assertThat(unwatched.uncommittedSince()).isBetween(5_001_000L, 6_500_000L);
  }

  private LagStatus run(int seconds, LongUnaryOperator consume, LongUnaryOperator produce) {
    LagStatus status = LagStatus.UNKNOWN;
    for (int i = 0; i < seconds; i++) {
      long now = second++ * 1_000;
      end = produce.applyAsLong(end);
      position = Math.min(end, consume.applyAsLong(position));
      window.observe(now, position, isCommitting ? position : committed);
      long since = window.uncommittedSince();
      status = window.judge(now, position, end - position, false, since < 0 ? 0 : now - since);
    }
    return status;
  }
}
