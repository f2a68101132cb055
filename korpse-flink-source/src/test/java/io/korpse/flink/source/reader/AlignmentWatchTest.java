package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AlignmentWatchTest {

  private long now = Long.MAX_VALUE - 1;
  private final AlignmentWatch watch = new AlignmentWatch(() -> now);

  @Test
  void names_a_split_that_is_held_for_long_once_and_the_fault() {
    watch.pausedOrResumed(List.of("t-0", "t-1"), List.of());
    pass(AlignmentWatch.LONG.minusSeconds(1));
    assertThat(watch.warnings()).isEmpty();
    watch.pausedOrResumed(List.of("t-0"), List.of("t-1"));

    pass(Duration.ofSeconds(1));

    assertThat(watch.warnings())
        .singleElement()
        .asString()
        .contains("t-0")
        .contains("FLINK-40093")
        .contains("withIdleness");
    assertThat(watch.warnings()).isEmpty();
  }

  @Test
  void says_nothing_of_a_split_that_goes_on_now_and_then_or_is_gone() {
    for (int i = 0; i < 10; i++) {
      watch.pausedOrResumed(List.of("t-0"), List.of());
      pass(AlignmentWatch.LONG.dividedBy(2));
      watch.pausedOrResumed(List.of(), List.of("t-0"));
    }
    watch.pausedOrResumed(List.of("t-1"), List.of());
    watch.forget("t-1");
    pass(AlignmentWatch.LONG);

    assertThat(watch.warnings()).isEmpty();
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }
}
