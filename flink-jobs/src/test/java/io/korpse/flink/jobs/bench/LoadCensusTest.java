package io.korpse.flink.jobs.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class LoadCensusTest {

  private static final double MIB = 1024 * 1024;
  private static final double EARLY = 0.3;
  private static final double LATE = 0.9;

  private final LoadCensus census = new LoadCensus();

  private OptionalDouble growth() {
    return census.figures().get("liveHeapGrowth");
  }

  @Test
  void buffers_that_were_empty_early_and_are_full_late_are_no_growth() {
    census.add(EARLY, 50 * MIB, 0);
    census.add(LATE, 150 * MIB, 100 * MIB);

    assertThat(growth()).hasValue(1);
  }

  @Test
  void what_grows_beside_full_buffers_is_seen_in_full() {
    census.add(EARLY, 150 * MIB, 100 * MIB);
    census.add(LATE, 160 * MIB, 100 * MIB);

    assertThat(growth()).hasValue(1.2);
  }

  @Test
  void what_grows_while_the_buffers_run_empty_is_seen() {
    census.add(EARLY, 150 * MIB, 100 * MIB);
    census.add(LATE, 75 * MIB, 0);

    assertThat(growth()).hasValue(1.5);
  }

  @Test
  void each_sample_is_freed_of_what_was_held_when_it_was_taken() {
    census.add(EARLY, 150 * MIB, 100 * MIB);
    census.add(EARLY, 50 * MIB, 0);
    census.add(EARLY, 70 * MIB, 20 * MIB);
    census.add(LATE, 50 * MIB, 0);

    assertThat(growth()).hasValue(1);
  }

  @Test
  void one_odd_sample_is_no_growth() {
    census.add(EARLY, 50 * MIB, 0);
    census.add(LATE, 50 * MIB, 0);
    census.add(LATE, 90 * MIB, 0);
    census.add(LATE, 50 * MIB, 0);

    assertThat(growth()).hasValue(1);
  }

  @Test
  void start_up_and_the_third_quarter_are_not_compared() {
    census.add(0.1, 10 * MIB, 0);
    census.add(EARLY, 50 * MIB, 0);
    census.add(0.6, 500 * MIB, 0);
    census.add(LATE, 50 * MIB, 0);

    assertThat(growth()).hasValue(1);
    assertThat(census.figures().get("liveHeapPeakBytes")).hasValue(500 * MIB);
    assertThat(census.figures().get("samples")).hasValue(4);
  }

  /** Else a target would be met, or missed, by a number that says nothing. */
  @Test
  void buffers_that_weigh_as_much_as_the_heap_tell_no_growth() {
    census.add(EARLY, 50 * MIB, 50 * MIB);
    census.add(LATE, 50 * MIB, 0);

    assertThat(growth()).isEmpty();
    assertThat(census.figures().get("otherHeapEarlyBytes")).hasValue(0);
  }

  @Test
  void buffers_that_weigh_more_than_the_late_heap_tell_no_growth() {
    census.add(EARLY, 50 * MIB, 0);
    census.add(LATE, 50 * MIB, 60 * MIB);

    assertThat(growth()).isEmpty();
  }

  @Test
  void a_run_without_a_late_sample_tells_no_growth() {
    census.add(EARLY, 50 * MIB, 0);

    assertThat(growth()).isEmpty();
  }
}
