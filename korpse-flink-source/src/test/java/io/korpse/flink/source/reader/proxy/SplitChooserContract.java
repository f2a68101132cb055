package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What every order must do, whatever it prefers. */
abstract class SplitChooserContract {

  static final long NO_HORIZON = Long.MAX_VALUE;

  final ProxyStats stats = new ProxyStats();
  long now = 1_000_000_000L;

  abstract SplitChooser chooser();

  /** Longest time without a run for a split that has records, as long as runs are taken. */
  abstract long longestGapNanos();

  @Test
  void has_nothing_before_a_split_is_ready() {
    SplitChooser chooser = chooser();

    assertThat(chooser.size()).isZero();
    assertThat(chooser.next(NO_HORIZON, now)).isNull();
  }

  @Test
  void gives_the_only_ready_split_as_long_as_it_has_records() {
    SplitChooser chooser = chooser();
    SplitBuffer split = Buffers.with(0, 1, 2, 3);
    chooser.ready(split, now);

    for (int i = 0; i < 3; i++) {
      assertThat(chooser.next(NO_HORIZON, now)).isSameAs(split);
      serve(chooser, split, 1);
    }
    assertThat(chooser.size()).isZero();
    assertThat(chooser.next(NO_HORIZON, now)).isNull();
  }

  @Test
  void counts_a_split_once_however_often_it_is_ready() {
    SplitChooser chooser = chooser();
    SplitBuffer split = Buffers.with(0, 1);
    chooser.ready(split, now);
    chooser.ready(split, now);

    assertThat(chooser.size()).isEqualTo(1);
    chooser.notReady(split);
    chooser.notReady(split);
    assertThat(chooser.size()).isZero();
  }

  @Test
  void never_gives_a_split_that_is_not_ready() {
    SplitChooser chooser = chooser();
    SplitBuffer held = Buffers.with(0, 1, 2);
    SplitBuffer other = Buffers.with(1, 5, 6);
    chooser.ready(held, now);
    chooser.ready(other, now);
    chooser.notReady(held);

    assertThat(chooser.next(NO_HORIZON, now)).isSameAs(other);
    serve(chooser, other, 2);
    assertThat(chooser.next(NO_HORIZON, now)).isNull();
  }

  @Test
  void gives_a_split_again_that_was_not_ready_for_a_while() {
    SplitChooser chooser = chooser();
    SplitBuffer split = Buffers.with(0, 1);
    chooser.ready(split, now);
    chooser.notReady(split);
    chooser.ready(split, now);

    assertThat(chooser.next(NO_HORIZON, now)).isSameAs(split);
  }

  @Test
  void lets_a_run_hold_at_least_one_record() {
    SplitChooser chooser = chooser();
    SplitBuffer split = Buffers.with(0, 1);
    SplitBuffer other = Buffers.with(1, 1);
    chooser.ready(split, now);
    chooser.ready(other, now);

    SplitBuffer next = chooser.next(NO_HORIZON, now);
    assertThat(chooser.runBytes(next)).isPositive();
    assertThat(chooser.runUntil(next, NO_HORIZON)).isGreaterThanOrEqualTo(next.headTime());
  }

  @Test
  void serves_records_without_timestamps() {
    SplitChooser chooser = chooser();
    SplitBuffer without = Buffers.with(0, -1, -1);
    SplitBuffer other = Buffers.with(1, 5);
    chooser.ready(without, now);
    chooser.ready(other, now);

    assertThat(drain(chooser, 2)).hasSize(3).contains(without, other);
  }

  @Test
  void serves_each_ready_split_within_its_time_whatever_the_others_have() {
    SplitChooser chooser = chooser();
    List<SplitBuffer> splits = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      splits.add(Buffers.with(i, i == 6 ? 4_000_000_000_000L : 1_000));
      chooser.ready(splits.get(i), now);
    }
    Map<SplitBuffer, Long> servedAt = new HashMap<>();
    splits.forEach(split -> servedAt.put(split, now));
    for (int i = 0; i < 5_000; i++) {
      now += 1_000_000;
      SplitBuffer next = chooser.next(NO_HORIZON, now);
      servedAt.put(next, now);
      Buffers.add(next, next.headTime() + 1);
      serve(chooser, next, 1);
      for (SplitBuffer split : splits) {
        assertThat(now - servedAt.get(split)).isLessThanOrEqualTo(longestGapNanos());
      }
    }
  }

  @Test
  void loses_no_split_and_gives_none_that_left_in_a_long_random_run() {
    for (long seed = 0; seed < 40; seed++) {
      randomRun(seed);
    }
  }

  private void randomRun(long seed) {
    Random random = new Random(seed * 0x9E3779B97F4A7C15L);
    SplitChooser chooser = chooser();
    List<SplitBuffer> splits = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      splits.add(Buffers.empty(i));
    }
    Set<SplitBuffer> ready = new HashSet<>();
    for (int step = 0; step < 600; step++) {
      now += random.nextInt(2_000_000);
      SplitBuffer split = splits.get(random.nextInt(splits.size()));
      int dice = random.nextInt(10);
      if (dice < 4) {
        Buffers.add(split, random.nextInt(1_000), random.nextInt(8) == 0 ? -1 : 500);
        chooser.ready(split, now);
        ready.add(split);
      } else if (dice == 4) {
        chooser.notReady(split);
        ready.remove(split);
      } else {
        SplitBuffer next = chooser.next(NO_HORIZON, now);
        assertThat(next == null).as("seed %s", seed).isEqualTo(ready.isEmpty());
        if (next != null) {
          assertThat(ready).as("seed %s", seed).contains(next);
          if (!serve(chooser, next, 1 + random.nextInt(3))) {
            ready.remove(next);
          }
        }
      }
      assertThat(chooser.size()).as("seed %s", seed).isEqualTo(ready.size());
    }
  }

  /** Takes a run of at most {@code records}; returns whether the split is still ready. */
  final boolean serve(SplitChooser chooser, SplitBuffer split, int records) {
    HandoverBatch batch = Buffers.batch(records);
    long taken = split.take(batch, chooser.runUntil(split, NO_HORIZON), chooser.runBytes(split));
    boolean still = split.hasRun();
    chooser.served(split, taken, still, now);
    return still;
  }

  /** Serves until nothing is left, and names the split of each record. */
  final List<SplitBuffer> drain(SplitChooser chooser, int recordsPerRun) {
    List<SplitBuffer> order = new ArrayList<>();
    for (SplitBuffer next = chooser.next(NO_HORIZON, now);
        next != null;
        next = chooser.next(NO_HORIZON, now)) {
      int before = next.records();
      serve(chooser, next, recordsPerRun);
      for (int i = next.records(); i < before; i++) {
        order.add(next);
      }
    }
    return order;
  }
}
