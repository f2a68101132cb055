package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EventTimeChooserTest extends SplitChooserContract {

  private static final long SLACK_MILLIS = 50;
  private static final long MAX_SLACK_MILLIS = 1_000;
  private static final long MAX_HOLD_NANOS = 100_000_000L;

  @Override
  SplitChooser chooser() {
    return new EventTimeChooser(
        new OrderSlack(SLACK_MILLIS, MAX_SLACK_MILLIS, stats), MAX_HOLD_NANOS, stats);
  }

  @Override
  long longestGapNanos() {
    return MAX_HOLD_NANOS + 7 * 1_000_000L;
  }

  @Test
  void gives_the_split_with_the_lowest_head_first() {
    SplitChooser chooser = chooser();
    SplitBuffer late = Buffers.with(0, 3_000);
    SplitBuffer early = Buffers.with(1, 1_000, 4_000);
    SplitBuffer middle = Buffers.with(2, 2_000);
    for (SplitBuffer split : List.of(late, early, middle)) {
      chooser.ready(split, now);
    }

    // early: 1000 4000, middle: 2000, late: 3000
    assertThat(drain(chooser, 10)).containsExactly(early, middle, late, early);
  }

  @Test
  void keeps_a_run_while_it_is_hardly_later_than_the_next_head() {
    SplitChooser chooser = chooser();
    SplitBuffer first = Buffers.with(0, 1_000, 1_020, 1_040, 1_060);
    SplitBuffer second = Buffers.with(1, 1_000);
    chooser.ready(first, now);
    chooser.ready(second, now);

    SplitBuffer next = chooser.next(NO_HORIZON, now);
    assertThat(chooser.runUntil(next, NO_HORIZON)).isEqualTo(1_000 + SLACK_MILLIS);
  }

  @Test
  void gives_nothing_later_than_the_horizon() {
    SplitChooser chooser = chooser();
    SplitBuffer split = Buffers.with(0, 1_000);
    chooser.ready(split, now);

    assertThat(chooser.next(999, now)).isNull();
    assertThat(chooser.next(1_000, now)).isSameAs(split);
    assertThat(chooser.runUntil(split, 1_000)).isEqualTo(1_000);
  }

  @Test
  void serves_one_run_of_a_split_that_was_held_too_long_and_counts_it() {
    SplitChooser chooser = chooser();
    SplitBuffer future = Buffers.with(0, 4_000_000_000_000L, 4_000_000_000_500L);
    SplitBuffer present = Buffers.with(1, 1_000, 1_001, 1_002);
    chooser.ready(future, now);
    chooser.ready(present, now);
    now += MAX_HOLD_NANOS / 2;
    assertThat(chooser.next(NO_HORIZON, now)).isSameAs(present);
    serve(chooser, present, 1);
    now += MAX_HOLD_NANOS / 2 + 1;

    assertThat(chooser.next(NO_HORIZON, now)).isSameAs(future);
    assertThat(chooser.runUntil(future, NO_HORIZON)).isEqualTo(4_000_000_000_000L);
    assertThat(stats.servedAfterHold()).isEqualTo(1);
    serve(chooser, future, 10);
    assertThat(future.records()).as("one run only").isEqualTo(1);
    assertThat(chooser.next(NO_HORIZON, now)).isSameAs(present);
  }

  /** It waited behind the horizon for as long as those without timestamps went on. */
  @Test
  void serves_the_lowest_split_that_was_held_too_long_while_others_took_turns() {
    SplitChooser chooser = chooser();
    SplitBuffer future = Buffers.with(0, 4_000_000_000_000L);
    SplitBuffer untimed = Buffers.with(1, -1, -1, -1);
    chooser.ready(future, now);
    chooser.ready(untimed, now);
    assertThat(chooser.next(2_000, now)).isSameAs(untimed);
    serve(chooser, untimed, 1);
    now += MAX_HOLD_NANOS + 1;

    assertThat(chooser.next(2_000, now)).isSameAs(future);
    assertThat(chooser.runUntil(future, 2_000)).isEqualTo(4_000_000_000_000L);
    assertThat(stats.servedAfterHold()).isEqualTo(1);
  }

  @Test
  void keeps_the_lowest_split_waiting_beyond_the_hold_while_nobody_is_served() {
    SplitChooser chooser = chooser();
    SplitBuffer future = Buffers.with(0, 4_000_000_000_000L);
    chooser.ready(future, now);
    now += MAX_HOLD_NANOS + 1;

    assertThat(chooser.next(2_000, now)).as("the wait for order has a limit of its own").isNull();
  }

  @Test
  void puts_records_without_a_timestamp_where_their_split_was() {
    SplitChooser chooser = chooser();
    SplitBuffer split = Buffers.with(0, 2_000, -1, 5_000);
    SplitBuffer other = Buffers.with(1, 3_000);
    chooser.ready(split, now);
    chooser.ready(other, now);

    assertThat(drain(chooser, 1)).containsExactly(split, split, other, split);
  }

  @Test
  void merges_ordered_splits_into_one_order_within_the_slack() {
    Random random = new Random(7);
    SplitChooser chooser = chooser();
    List<Long> all = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      long[] times = random.longs(200, 0, 100_000).sorted().toArray();
      for (long time : times) {
        all.add(time);
      }
      chooser.ready(Buffers.with(i, times), now);
    }
    List<Long> given = new ArrayList<>();
    long latest = 0;
    for (SplitBuffer next = chooser.next(NO_HORIZON, now);
        next != null;
        next = chooser.next(NO_HORIZON, now)) {
      HandoverBatch batch = Buffers.batch(50);
      long taken = next.take(batch, chooser.runUntil(next, NO_HORIZON), Long.MAX_VALUE);
      chooser.served(next, taken, next.hasRun(), now);
      batch.nextSplit();
      for (var record = batch.nextRecordFromSplit();
          record != null;
          record = batch.nextRecordFromSplit()) {
        given.add(record.timestamp());
        assertThat(latest - record.timestamp()).isLessThanOrEqualTo(SLACK_MILLIS);
        latest = Math.max(latest, record.timestamp());
      }
    }
    Collections.sort(all);
    Collections.sort(given);
    assertThat(given).isEqualTo(all);
  }

  /** It kept the place of the time before, and went first however late its records were. */
  @Test
  void gives_a_split_its_new_place_when_a_record_follows_a_position_without_one() {
    SplitChooser chooser = chooser();
    SplitBuffer moved = Buffers.with(0, 1_000);
    chooser.ready(moved, now);
    serve(chooser, moved, 1);
    moved.append(List.of(), moved.fetchOffset() + 1, Buffers.EPOCH);
    chooser.ready(moved, now);
    SplitBuffer other = Buffers.with(1, 2_000);
    chooser.ready(other, now);
    Buffers.add(moved, 3_000);
    chooser.ready(moved, now);

    assertThat(drain(chooser, 1)).containsExactly(other, moved);
  }

  @Test
  void lets_runs_grow_to_an_eighth_of_what_order_is_lost_by_splits_that_are_kept_out() {
    SplitChooser chooser = chooser();
    SplitBuffer first = Buffers.with(0, 10_000);
    SplitBuffer second = Buffers.with(1, 10_010);
    chooser.ready(first, now);
    chooser.ready(second, now);

    chooser.keptOut(10_000 - 8 * 600);
    assertThat(chooser.runUntil(first, NO_HORIZON)).isEqualTo(10_010 + 600);
    assertThat(stats.orderSlackMillis()).isEqualTo(600);

    chooser.keptOut(SplitBuffer.NO_TIME);
    assertThat(chooser.runUntil(first, NO_HORIZON)).isEqualTo(10_010 + MAX_SLACK_MILLIS);
    assertThat(chooser.runUntil(first, 10_100)).as("what is waited for").isEqualTo(10_100);
  }

  @Test
  void is_as_strict_as_ever_when_those_kept_out_are_hardly_earlier() {
    SplitChooser chooser = chooser();
    SplitBuffer first = Buffers.with(0, 10_000);
    chooser.ready(first, now);
    chooser.ready(Buffers.with(1, 10_010), now);

    for (long keptOut : new long[] {9_990, 10_000, 20_000, Long.MAX_VALUE}) {
      chooser.keptOut(keptOut);
      assertThat(chooser.runUntil(first, NO_HORIZON)).isEqualTo(10_010 + SLACK_MILLIS);
    }
    assertThat(stats.orderSlackMillis()).isEqualTo(SLACK_MILLIS);
  }

  @Test
  void waits_for_order() {
    assertThat(chooser().waits()).isTrue();
  }
}
