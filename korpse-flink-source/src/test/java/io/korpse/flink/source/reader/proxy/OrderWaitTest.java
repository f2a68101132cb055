package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class OrderWaitTest {

  private static final long LIMIT = Duration.ofSeconds(1).toNanos();
  private static final long MILLI = Duration.ofMillis(1).toNanos();
  private static final long GO = Long.MAX_VALUE;

  private final ProxyStats stats = new ProxyStats();
  private final OrderWait wait = started();
  private long lookedAt;

  @Test
  void waits_for_an_empty_split_that_has_more_on_the_broker() {
    SplitBuffer split = lagging(0);
    wait.review(split, 0);

    assertThat(horizonAt(LIMIT - 1)).isNotEqualTo(GO);
    assertThat(horizonAt(LIMIT)).isEqualTo(GO);
    assertThat(stats.orderGivenUp()).isEqualTo(1);
  }

  @Test
  void does_not_wait_for_a_split_whose_end_was_never_known_or_that_is_caught_up() {
    SplitBuffer unknown = Buffers.empty(0);
    SplitBuffer caughtUp = Buffers.empty(1);
    caughtUp.observeEnd(0);
    wait.review(unknown, 0);
    wait.review(caughtUp, 0);

    assertThat(wait.horizon(0)).isEqualTo(GO);
  }

  @Test
  void does_not_wait_for_a_split_that_is_paused_for_any_reason() {
    PauseLedger ledger = new PauseLedger(new PauseTimes());
    for (PauseReason reason : PauseReason.values()) {
      SplitBuffer split = lagging(0);
      ledger.add(split.pause, reason, 0);
      wait.review(split, 0);
      assertThat(wait.horizon(0)).as("%s", reason).isEqualTo(GO);
    }
  }

  @Test
  void sets_the_deadline_when_the_split_runs_empty_not_when_its_lag_is_known() {
    SplitBuffer split = Buffers.empty(0);
    wait.review(split, 0);
    horizonAt(LIMIT + 1);
    split.observeEnd(100);
    wait.review(split, LIMIT + 1);

    assertThat(horizonAt(LIMIT + 1)).isEqualTo(GO);
  }

  @Test
  void sets_no_new_deadline_for_a_position_that_moves_or_a_pause_that_ends() {
    PauseLedger ledger = new PauseLedger(new PauseTimes());
    SplitBuffer split = lagging(0);
    wait.review(split, 0);
    ledger.add(split.pause, PauseReason.ALIGNMENT, 0);
    wait.review(split, MILLI);
    ledger.remove(split.pause, PauseReason.ALIGNMENT, 0);
    split.append(List.of(), 5, Buffers.EPOCH);
    horizonAt(LIMIT / 2);
    wait.review(split, LIMIT / 2);

    assertThat(horizonAt(LIMIT - 1)).isNotEqualTo(GO);
    assertThat(horizonAt(LIMIT)).isEqualTo(GO);
  }

  @Test
  void a_deadline_comes_nearer_also_while_nothing_is_to_be_handed_over() {
    SplitBuffer split = lagging(0);
    wait.review(split, 0);
    for (long now = 0; now <= LIMIT; now += 100 * MILLI) {
      wait.tick(now);
    }

    assertThat(wait.horizon(LIMIT)).isEqualTo(GO);
  }

  @Test
  void waits_anew_after_a_record() {
    SplitBuffer split = lagging(0);
    wait.review(split, 0);
    Buffers.add(split, 1_000);
    wait.delivered(split);
    split.take(Buffers.batch(1), Long.MAX_VALUE, Long.MAX_VALUE);
    horizonAt(LIMIT);
    wait.review(split, LIMIT);

    assertThat(horizonAt(LIMIT)).as("what is not later than its last time").isEqualTo(1_000);
    assertThat(horizonAt(2 * LIMIT)).isEqualTo(GO);
  }

  @Test
  void gives_up_the_earliest_deadline_first_whatever_the_order_of_the_splits() {
    PauseLedger ledger = new PauseLedger(new PauseTimes());
    SplitBuffer early = lagging(0);
    SplitBuffer late = lagging(1);
    wait.review(early, 0);
    ledger.add(early.pause, PauseReason.ALIGNMENT, 0);
    wait.review(early, 0);
    horizonAt(LIMIT / 2);
    wait.review(late, LIMIT / 2);
    ledger.remove(early.pause, PauseReason.ALIGNMENT, 0);
    wait.review(early, LIMIT / 2);

    horizonAt(LIMIT);
    assertThat(wait.waiting()).isEqualTo(1);
    assertThat(stats.orderGivenUp()).isEqualTo(1);
  }

  @Test
  void waits_at_most_a_tenth_of_any_ten_seconds_for_what_is_not_answered_promptly() {
    long waited = 0;
    long now = 0;
    for (int i = 0; now < Duration.ofSeconds(9).toNanos(); i++) {
      SplitBuffer split = lagging(i);
      wait.review(split, now);
      wait.blocked(true, now);
      wait.unblocked(now += 100 * MILLI);
      for (int late = 0; late < 2 && wait.horizon(now) != GO; late++) {
        wait.blocked(true, now);
        wait.unblocked(now += 100 * MILLI);
        waited += 100 * MILLI;
      }
      wait.forget(split);
    }

    assertThat(waited).isEqualTo(Duration.ofSeconds(1).toNanos());
    assertThat(stats.orderGivenUp()).isPositive();
  }

  @Test
  void what_is_answered_promptly_costs_nothing_of_the_tenth() {
    long now = 0;
    for (int i = 0; now < Duration.ofSeconds(60).toNanos(); i++) {
      SplitBuffer split = lagging(i);
      wait.review(split, now);
      assertThat(wait.horizon(now)).as("after %d ms", now / MILLI).isNotEqualTo(GO);
      wait.blocked(true, now);
      now += 99 * MILLI;
      wait.delivered(split);
      wait.unblocked(now);
    }

    assertThat(stats.orderGivenUp()).isZero();
    assertThat(stats.orderWaitMillis()).as("shown all the same").isGreaterThanOrEqualTo(60_000);
  }

  @Test
  void a_split_that_ran_empty_long_ago_is_answered_late_even_when_the_wait_begins_now() {
    long now = 0;
    for (int i = 0; stats.orderGivenUp() == 0; i++) {
      SplitBuffer split = lagging(i);
      wait.review(split, now);
      wait.tick(now += 100 * MILLI);
      wait.horizon(now);
      wait.blocked(true, now);
      wait.unblocked(now += 100 * MILLI);
      wait.forget(split);
      assertThat(i).isLessThan(12);
    }
  }

  @Test
  void a_split_that_ran_empty_just_now_is_waited_for_also_when_the_tenth_is_used_up() {
    for (long now = 0; stats.orderGivenUp() == 0; ) {
      SplitBuffer silent = lagging(1);
      wait.review(silent, now);
      for (int i = 0; i < 10 && wait.horizon(now) != GO; i++) {
        wait.blocked(true, now);
        wait.unblocked(now += 99 * MILLI);
      }
      wait.forget(silent);
      lookedAt = now;
    }
    SplitBuffer prompt = lagging(2);
    wait.review(prompt, lookedAt);

    assertThat(wait.horizon(lookedAt + 97 * MILLI)).isNotEqualTo(GO);
    assertThat(wait.horizon(lookedAt + 98 * MILLI)).isEqualTo(GO);
  }

  /** A cold client may take longer to connect than a wait may last. */
  @Test
  void counts_no_time_before_the_first_record_of_all() {
    OrderWait cold = new OrderWait(LIMIT, 0, 0, stats);
    SplitBuffer split = lagging(0);
    cold.review(split, 0);
    assertThat(cold.horizon(3 * LIMIT)).isNotEqualTo(GO);

    cold.delivered(Buffers.empty(1));
    for (long now = 3 * LIMIT; now < 4 * LIMIT; now += 100 * MILLI) {
      assertThat(cold.horizon(now)).as("%d ms", now / MILLI).isNotEqualTo(GO);
    }
    assertThat(cold.horizon(4 * LIMIT)).isEqualTo(GO);
  }

  /** After a long pause of the JVM the answer may be there, but nobody has looked yet. */
  @Test
  void takes_a_thread_that_did_not_run_for_no_wait() {
    SplitBuffer split = lagging(0);
    wait.review(split, 0);

    assertThat(wait.horizon(5 * LIMIT)).isNotEqualTo(GO);
  }

  @Test
  void counts_no_wait_while_the_task_thread_has_something() {
    SplitBuffer split = lagging(0);
    wait.review(split, 0);
    wait.blocked(false, 0);
    wait.unblocked(900 * MILLI);
    assertThat(stats.orderWaitMillis()).isZero();

    wait.blocked(true, 900 * MILLI);
    wait.unblocked(950 * MILLI);
    assertThat(stats.orderWaitMillis()).isEqualTo(50);
  }

  /** Looks as often as a reader does that waits. */
  private long horizonAt(long nanos) {
    while (lookedAt + 100 * MILLI < nanos) {
      lookedAt += 100 * MILLI;
      wait.horizon(lookedAt);
    }
    lookedAt = nanos;
    return wait.horizon(nanos);
  }

  private OrderWait started() {
    OrderWait started = new OrderWait(LIMIT, 0, 0, stats);
    started.delivered(Buffers.empty(99));
    return started;
  }

  private static SplitBuffer lagging(int number) {
    SplitBuffer split = Buffers.empty(number);
    split.observeEnd(100);
    return split;
  }
}
