package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class AdmissionTest {

  private static final long MAX = 16_000;
  private static final long MAX_HUNGER = Duration.ofSeconds(10).toNanos();
  private static final ProxyLimits LIMITS = ProxyRig.limits(8_000, MAX);

  private final BufferBudget budget = new BufferBudget(MAX);
  private final PauseTimes times = new PauseTimes();
  private final PauseLedger ledger = new PauseLedger(times);
  private final ProxyStats stats = new ProxyStats();
  private final OrderWait orderWait = new OrderWait(Duration.ofSeconds(1).toNanos(), 0, 0, stats);
  private final Admission admission =
      new Admission(budget, LIMITS, ledger, orderWait, stats, MAX_HUNGER);

  @Test
  void lets_everybody_in_below_three_quarters() {
    List<SplitBuffer> splits = splits(3);
    budget.reserve(MAX / 4 * 3 - 1);
    admission.update(splits, false, 0);

    assertThat(splits).noneMatch(split -> split.pause.paused());
    assertThat(stats.windowActive()).isZero();
  }

  @Test
  void lets_in_the_earliest_of_the_empty_ones_when_short_and_shows_it() {
    List<SplitBuffer> splits = splits(3);
    at(splits.get(0), 300);
    at(splits.get(1), 100);
    at(splits.get(2), 200);
    admission.filled(splits.get(0), 3_000, 0);
    budget.reserve(MAX / 4 * 3);
    admission.update(splits, false, 0);

    assertThat(splits.get(1).pause.paused()).isFalse();
    assertThat(splits.get(0).pause.has(PauseReason.READER_FULL)).isTrue();
    assertThat(splits.get(2).pause.has(PauseReason.READER_FULL)).isTrue();
    assertThat(stats.windowActive()).isEqualTo(1);
  }

  @Test
  void gives_no_place_to_who_is_caught_up_but_lets_it_in_besides() {
    List<SplitBuffer> splits = splits(3);
    at(splits.get(0), 100);
    at(splits.get(1), 200);
    at(splits.get(2), 300);
    splits.get(0).observeEnd(splits.get(0).fetchOffset());
    budget.reserve(MAX);
    admission.update(splits, false, 0);
    assertThat(splits).allMatch(split -> split.pause.paused());

    admission.update(splits, true, 1);
    assertThat(splits.get(0).pause.paused()).isFalse();
    assertThat(splits.get(1).pause.paused()).isFalse();
    assertThat(splits.get(2).pause.has(PauseReason.READER_FULL)).isTrue();
  }

  @Test
  void lets_in_who_is_kept_out_for_too_long_whatever_its_time() {
    List<SplitBuffer> splits = splits(2);
    at(splits.get(0), 4_000_000_000_000L);
    at(splits.get(1), 100);
    admission.filled(splits.get(0), 8_000, 0);
    budget.reserve(MAX);
    admission.update(splits, false, 0);
    assertThat(splits).allMatch(split -> split.pause.paused());

    budget.release(MAX / 8);
    splits.get(1).hungrySince = MAX_HUNGER; // it had something meanwhile
    admission.update(splits, false, MAX_HUNGER);

    assertThat(splits.get(0).pause.paused()).isFalse();
    assertThat(splits.get(1).pause.paused()).isTrue();
  }

  @Test
  void lets_one_in_at_the_bound_when_nothing_can_be_given_back() {
    List<SplitBuffer> splits = splits(3);
    budget.reserve(MAX);
    admission.update(splits, false, 0);
    assertThat(splits).allMatch(split -> split.pause.paused());

    admission.update(splits, true, 1);
    assertThat(splits).filteredOn(split -> !split.pause.paused()).hasSize(1);
  }

  /** They were counted as paused for ever, and the proxy parked although others could fetch. */
  @Test
  void pauses_no_split_that_is_fetched_whole() {
    List<SplitBuffer> splits = splits(2);
    splits.get(0).finishFetching();
    budget.reserve(MAX);
    admission.update(splits, false, 0);
    admission.emptied(splits.get(0), 0);

    assertThat(splits.get(0).pause.paused()).isFalse();
    assertThat(times.pausedSplits()).isEqualTo(1);
  }

  /** Order waited for splits that the window itself kept from being fetched. */
  @Test
  void ends_the_wait_for_a_split_that_it_keeps_out() {
    List<SplitBuffer> splits = splits(1);
    splits.get(0).observeEnd(100);
    orderWait.review(splits.get(0), 0);
    assertThat(orderWait.waiting()).isEqualTo(1);

    budget.reserve(MAX);
    admission.update(splits, false, 0);
    assertThat(orderWait.waiting()).isZero();
  }

  /** Each response of a crowd filled the budget, and all were paused and resumed for it. */
  @Test
  void lets_everybody_in_again_only_when_there_is_room_for_a_poll_of_each() {
    List<SplitBuffer> splits = splits(10);
    admission.filled(splits.get(0), 3_000, 0);
    budget.reserve(MAX / 4 * 3);
    admission.update(splits, false, 0);
    budget.release(budget.used() - 6_000);
    admission.update(splits, false, 1);
    assertThat(stats.windowActive()).isEqualTo(1);
    assertThat(splits).filteredOn(split -> !split.pause.paused()).hasSize(3);

    budget.release(6_000);
    admission.update(splits, false, 2);
    assertThat(splits).filteredOn(split -> !split.pause.paused()).hasSize(5);
    admission.update(splits, false, 3);
    assertThat(splits).noneMatch(split -> split.pause.paused());
    assertThat(stats.windowActive()).isZero();
  }

  @Test
  void keeps_out_none_that_is_caught_up_before_the_bound() {
    List<SplitBuffer> splits = splits(3);
    splits.get(0).observeEnd(0);
    splits.get(1).observeEnd(0);
    admission.filled(splits.get(0), 8_000, 0);
    budget.reserve(MAX / 4 * 3);
    admission.update(splits, false, 0);
    assertThat(splits.get(0).pause.paused()).isFalse();
    assertThat(splits.get(1).pause.paused()).isFalse();

    budget.reserve(MAX / 4);
    admission.update(splits, false, 1);
    assertThat(splits).allMatch(split -> split.pause.paused());
    budget.release(MAX / 8);
    admission.update(splits, false, 2);
    assertThat(splits.get(0).pause.paused()).isFalse();
    assertThat(splits.get(1).pause.paused()).isFalse();
  }

  /** The order of what is at hand goes by this. */
  @Test
  void tells_the_earliest_time_that_is_kept_out() {
    List<SplitBuffer> splits = splits(4);
    at(splits.get(0), 300);
    at(splits.get(1), 100);
    at(splits.get(2), 200);
    at(splits.get(3), 400);
    assertThat(admission.keptOutSince()).isEqualTo(Long.MAX_VALUE);
    admission.filled(splits.get(0), 3_000, 0);
    budget.reserve(MAX / 4 * 3);
    admission.update(splits, false, 0);

    assertThat(admission.keptOutSince()).as("after the one let in").isEqualTo(200);
  }

  /** Those whose broker was gone, the earliest of all, took all places each time anew. */
  @Test
  void gives_no_place_again_to_who_brought_nothing_in_it() {
    List<SplitBuffer> splits = splits(3);
    at(splits.get(0), 100);
    at(splits.get(1), 200);
    at(splits.get(2), 300);
    admission.filled(splits.get(2), 4_000, 0);
    budget.reserve(MAX / 4 * 3);
    admission.update(splits, false, 0);
    assertThat(splits.get(0).pause.paused()).isFalse();
    assertThat(splits.get(1).pause.paused()).isTrue();
    admission.update(splits, false, MAX_HUNGER / 10);
    assertThat(splits.get(1).pause.paused()).isFalse();

    budget.reserve(MAX / 4);
    admission.update(splits, false, MAX_HUNGER / 10);
    assertThat(splits).allMatch(split -> split.pause.paused());
    budget.release(MAX / 4);
    admission.update(splits, false, MAX_HUNGER / 10);
    assertThat(splits.get(0).pause.paused()).as("open, without a place").isFalse();
    assertThat(splits.get(1).pause.paused()).isFalse();
  }

  @Test
  void tells_no_time_of_one_that_is_kept_out_but_has_no_more() {
    List<SplitBuffer> splits = splits(3);
    at(splits.get(1), 100);
    at(splits.get(2), 200);
    splits.get(0).observeEnd(0);
    splits.get(1).observeEnd(splits.get(1).fetchOffset());
    budget.reserve(MAX);
    admission.update(splits, false, 0);
    assertThat(admission.keptOutSince()).isEqualTo(200);

    splits.get(2).observeEnd(splits.get(2).fetchOffset());
    assertThat(admission.keptOutSince()).isEqualTo(Long.MAX_VALUE);
  }

  /** As when damage that was asked about is skipped. One stayed first in the queue for ever. */
  @Test
  @Timeout(10)
  void one_that_gets_something_while_it_is_kept_out_leaves_the_queues() {
    List<SplitBuffer> splits = splits(5);
    budget.reserve(MAX);
    admission.update(splits, false, 0);
    for (SplitBuffer filled : splits.subList(1, 4)) {
      Buffers.add(filled, 100);
      admission.filled(filled, Buffers.WEIGHT, 1);
    }
    budget.release(MAX / 8);
    admission.update(splits, false, 2 * MAX_HUNGER);

    assertThat(splits.get(0).pause.paused()).isFalse();
    assertThat(splits.get(4).pause.paused()).isFalse();
  }

  private List<SplitBuffer> splits(int count) {
    List<SplitBuffer> splits = new java.util.ArrayList<>();
    for (int i = 0; i < count; i++) {
      splits.add(Buffers.empty(i));
    }
    admission.splits(count);
    splits.forEach(split -> admission.added(split, 0));
    return splits;
  }

  /** Lets a split give one record of a time, so that this is its last known. */
  private static void at(SplitBuffer split, long time) {
    Buffers.add(split, time);
    split.take(Buffers.batch(1), Long.MAX_VALUE, Long.MAX_VALUE);
    split.returned(1, Buffers.WEIGHT);
  }
}
