package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Times are in milliseconds here. */
final class SharedWaitShareTest {

  private final SharedWaitShare share = new SharedWaitShare(0);

  @Test
  void what_two_wait_for_at_the_same_time_counts_once() {
    add(300, 1_000);
    add(300, 1_000);
    add(250, 1_050);

    assertThat(share.left(nanos(1_050))).isEqualTo(nanos(1_000 - 350));
  }

  @Test
  void what_they_wait_for_one_after_the_other_counts_twice() {
    add(300, 1_000);
    add(300, 1_300);

    assertThat(share.left(nanos(1_300))).isEqualTo(nanos(400));
  }

  private void add(long millis, long at) {
    share.add(nanos(millis), nanos(at));
  }

  private static long nanos(long millis) {
    return millis * 1_000_000;
  }
}
