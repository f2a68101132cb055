package io.korpse.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class SteadyClockTest {

  @Test
  void adds_what_has_passed_to_the_time_of_its_start() {
    AtomicLong nanos = new AtomicLong(-5);
    SteadyClock clock = new SteadyClock(1_000, nanos::get);
    assertThat(clock.millis()).isEqualTo(1_000);

    nanos.addAndGet(2_500_000);
    assertThat(clock.millis()).isEqualTo(1_002);
    assertThat(clock.instant()).isEqualTo(Instant.ofEpochMilli(1_002));
  }
}
