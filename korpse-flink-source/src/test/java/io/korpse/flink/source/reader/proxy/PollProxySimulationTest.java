package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Thousands of simulated runs. A failure prints its seed; {@code -Dkorpse.sim.seed=N} runs that one
 * alone, {@code -Dkorpse.sim.seeds=N} changes how many there are.
 */
class PollProxySimulationTest {

  private static final int SEEDS = 4_000;

  @Test
  @Timeout(600)
  void keeps_every_invariant_whatever_happens() {
    Long one = Long.getLong("korpse.sim.seed");
    long emitted =
        (one == null
                ? LongStream.range(0, Long.getLong("korpse.sim.seeds", SEEDS))
                : LongStream.of(one))
            .parallel()
            .map(
                seed -> {
                  ProxySimulation simulation = new ProxySimulation(SimSettings.of(seed));
                  simulation.run();
                  return simulation.emitted();
                })
            .sum();
    assertThat(emitted).isPositive();
  }

  /**
   * A backlog that many polls take in parts, among idle splits; one of records of which each poll
   * has room for few; and one that a short budget shares with idle splits whose time is earlier.
   */
  @ParameterizedTest
  @ValueSource(longs = {4400, 4700, 7671})
  void reads_a_long_backlog_in_time(long seed) {
    new ProxySimulation(SimSettings.of(seed)).run();
  }
}
