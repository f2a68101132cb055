package io.korpse.flink.jobs.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class StatisticsTest {

  @Test
  void median_of_an_odd_number_is_the_middle_one() {
    assertThat(Statistics.of(List.of(3.0, 1.0, 2.0))).isEqualTo(new Statistics(2, 1, 3, 3));
  }

  @Test
  void median_of_an_even_number_is_between_the_middle_two() {
    assertThat(Statistics.of(List.of(4.0, 1.0, 2.0, 10.0))).isEqualTo(new Statistics(3, 1, 10, 4));
  }

  @Test
  void no_values_have_no_median() {
    assertThatThrownBy(() -> Statistics.of(List.of())).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void percentile_is_a_sample_that_enough_do_not_exceed() {
    double[] samples = new double[100];
    for (int i = 0; i < samples.length; i++) {
      samples[i] = 100 - i;
    }
    assertThat(Statistics.percentile(samples, 0.50)).isEqualTo(50);
    assertThat(Statistics.percentile(samples, 0.99)).isEqualTo(99);
    assertThat(Statistics.percentile(samples, 0.999)).isEqualTo(100);
    assertThat(Statistics.percentile(samples, 0)).isEqualTo(1);
    assertThat(Statistics.percentile(new double[0], 0.5)).isZero();
  }
}
