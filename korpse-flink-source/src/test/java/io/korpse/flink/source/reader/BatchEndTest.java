package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BatchEndTest {

  private final AtomicInteger reads = new AtomicInteger();

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 7, 8, 9, 1_000, 65_537})
  void finds_the_offset_after_a_batch_of_any_size(long size) {
    assertThat(BatchEnd.find(100, 1_000_000, damaged(100, 100 + size))).isEqualTo(100 + size);
    assertThat(reads.get()).isLessThan(40);
  }

  @Test
  void is_the_log_end_when_the_last_batch_is_damaged() {
    assertThat(BatchEnd.find(100, 110, damaged(100, 110))).isEqualTo(110);
  }

  @Test
  void is_the_offset_itself_when_it_can_be_read() {
    assertThat(BatchEnd.find(100, 110, at -> Optional.empty())).isEqualTo(100);
  }

  @Test
  void does_not_pass_over_what_lies_between_two_damaged_batches() {
    LongFunction<Optional<String>> first = damaged(100, 103);
    LongFunction<Optional<String>> second = damaged(108, 140);

    assertThat(
            BatchEnd.find(
                100, 1_000, at -> first.apply(at).or(() -> second.apply(at).map(text -> "other"))))
        .isEqualTo(103);
  }

  @Test
  void stops_at_a_second_damaged_batch_that_follows() {
    LongFunction<Optional<String>> damage =
        at -> at < 103 ? Optional.of("one") : at < 200 ? Optional.of("two") : Optional.empty();

    assertThat(BatchEnd.find(100, 1_000, damage)).isEqualTo(103);
  }

  private LongFunction<Optional<String>> damaged(long from, long to) {
    return at -> {
      reads.incrementAndGet();
      return at >= from && at < to ? Optional.of("damaged") : Optional.empty();
    };
  }
}
