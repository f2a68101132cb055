package io.korpse.offsets.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class BackoffTest {

  @Test
  void doubles_up_to_the_limit() {
    Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(1), () -> 0.5);

    assertThat(backoff.millis(1)).isEqualTo(100);
    assertThat(backoff.millis(2)).isEqualTo(200);
    assertThat(backoff.millis(4)).isEqualTo(800);
    assertThat(backoff.millis(5)).isEqualTo(1_000);
    assertThat(backoff.millis(Integer.MAX_VALUE)).isEqualTo(1_000);
  }

  @Test
  void spreads_by_a_quarter_to_both_sides() {
    Duration second = Duration.ofSeconds(1);

    assertThat(new Backoff(second, second, () -> 0).millis(1)).isEqualTo(750);
    assertThat(new Backoff(second, second, () -> 1).millis(1)).isEqualTo(1_250);
  }
}
