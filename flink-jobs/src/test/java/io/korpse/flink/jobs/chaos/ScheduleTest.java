package io.korpse.flink.jobs.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ScheduleTest {

  private static final List<FaultKind> ALL = Arrays.asList(FaultKind.values());

  @Test
  void the_same_seed_gives_the_same_plan() {
    assertThat(Schedule.of(7, Duration.ofMinutes(5), ALL))
        .isEqualTo(Schedule.of(7, Duration.ofMinutes(5), ALL))
        .isNotEqualTo(Schedule.of(8, Duration.ofMinutes(5), ALL));
  }

  @Test
  void faults_begin_in_order_and_in_time() {
    List<Fault> faults = Schedule.of(7, Duration.ofMinutes(8), ALL);

    assertThat(faults).extracting(Fault::atMillis).isSorted().allMatch(at -> at < 480_000);
    assertThat(faults).hasSizeBetween(20, 60);
    assertThat(faults).extracting(Fault::kind).containsAll(ALL);
  }

  @Test
  void a_long_cut_is_longer_than_a_request_of_kafka_lasts_and_nothing_else_is() {
    for (Fault fault : Schedule.of(7, Duration.ofMinutes(20), ALL)) {
      assertThat(fault.lastsMillis() > 30_000)
          .as(fault.toString())
          .isEqualTo(fault.kind() == FaultKind.CUT_LONG);
    }
  }

  @Test
  void does_only_what_is_asked_for_and_at_least_once() {
    assertThat(Schedule.of(7, Duration.ofSeconds(1), List.of(FaultKind.RESCALE)))
        .extracting(Fault::kind)
        .containsExactly(FaultKind.RESCALE);
  }
}
