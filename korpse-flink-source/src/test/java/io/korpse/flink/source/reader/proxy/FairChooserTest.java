package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class FairChooserTest extends SplitChooserContract {

  private static final long QUANTUM = 10 * Buffers.WEIGHT;

  @Override
  SplitChooser chooser() {
    return new FairChooser(QUANTUM);
  }

  @Override
  long longestGapNanos() {
    return 7 * 1_000_000L;
  }

  @Test
  void gives_ready_splits_equal_bytes_even_if_one_has_far_more() {
    SplitChooser chooser = chooser();
    SplitBuffer much = Buffers.with(0, LongStream.range(0, 1_000).toArray());
    SplitBuffer little = Buffers.with(1, LongStream.range(0, 100).toArray());
    chooser.ready(much, now);
    chooser.ready(little, now);
    Map<SplitBuffer, Integer> served = new HashMap<>();
    while (little.records() > 0) {
      SplitBuffer next = chooser.next(NO_HORIZON, now);
      int before = next.records();
      serve(chooser, next, 1_000);
      served.merge(next, before - next.records(), Integer::sum);
    }

    assertThat(served.get(much)).isBetween(90, 110);
  }

  @Test
  void takes_off_the_next_turn_what_a_large_record_took_too_much() {
    SplitChooser chooser = chooser();
    SplitBuffer large = Buffers.with(0, 1, 2, 3);
    SplitBuffer other = Buffers.with(1, 1, 2, 3, 4, 5, 6);
    chooser.ready(large, now);
    chooser.ready(other, now);

    assertThat(chooser.next(NO_HORIZON, now)).isSameAs(large);
    large.take(Buffers.batch(1), Long.MAX_VALUE, 1);
    chooser.served(large, 3 * QUANTUM, true, now);

    for (int turn = 0; turn < 3; turn++) {
      assertThat(chooser.next(NO_HORIZON, now)).isSameAs(other);
      serve(chooser, other, 1);
    }
    assertThat(chooser.next(NO_HORIZON, now)).isSameAs(large);
  }

  @Test
  void does_not_wait_for_order() {
    assertThat(chooser().waits()).isFalse();
  }
}
