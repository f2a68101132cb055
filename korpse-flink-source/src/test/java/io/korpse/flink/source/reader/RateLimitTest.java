package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RateLimitTest {

  private long now = Long.MAX_VALUE - 5; // a monotonic clock may start anywhere and overflow

  @ParameterizedTest
  @ValueSource(doubles = {0.5, 1, 3, 100, 12_345, 1_000_000})
  void emits_the_rate_on_average_and_wakes_seldom(double rate) {
    RateLimit limit = new RateLimit(rate, () -> now);
    int records = 0;
    int waits = 0;
    long elapsed = 0;
    while (elapsed < Duration.ofSeconds(60).toNanos()) {
      if (limit.permits()) {
        limit.emitted();
        records++;
      } else {
        waits++;
        long wait = limit.waitNanos();
        assertThat(wait).isPositive();
        elapsed += wait;
        now += wait;
      }
    }

    // A tenth of a second may be emitted at once, and one record is always let through.
    assertThat(records).isBetween((int) (60 * rate) - 1, (int) (60.2 * rate) + 2);
    // Each second at least, and 20 times a second at most.
    assertThat(waits).isBetween(58, (int) Math.max(62, Math.min(60 * rate, 60 * 20) + 2));
  }

  @Test
  void does_not_make_up_for_an_idle_time() {
    RateLimit limit = new RateLimit(100, () -> now);
    now += Duration.ofHours(1).toNanos();

    int burst = 0;
    while (limit.permits()) {
      limit.emitted();
      burst++;
    }

    assertThat(burst).isLessThanOrEqualTo(11);
  }

  @Test
  void is_available_again_after_the_wait() {
    RateLimit limit = new RateLimit(1_000, () -> now);
    while (limit.permits()) {
      limit.emitted();
    }

    assertThat(limit.available()).succeedsWithin(Duration.ofSeconds(10));
  }
}
