package io.korpse.flink.jobs.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LoadCensusTest {

  private static final double MIB = 1024 * 1024;

  private final LoadCensus census = new LoadCensus(100 * MIB);

  @Test
  void buffers_that_were_empty_early_and_are_full_late_are_no_growth() {
    assertThat(census.growth(50 * MIB, 150 * MIB)).isEqualTo(1);
  }

  @Test
  void what_comes_on_top_of_full_buffers_is_growth() {
    assertThat(census.growth(50 * MIB, 180 * MIB)).isEqualTo(1.2);
  }
}
