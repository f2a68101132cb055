package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Hundreds of runs of several proxies before one queue. A failure prints its seed; {@code
 * -Dkorpse.sim.seed=N} runs that one alone.
 */
@Timeout(300)
final class LanesSimulationTest {

  private static final int SEEDS = 600;

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void all_comes_out_once_and_within_one_budget(int lanes) {
    long emitted = run(lanes, false).stream().mapToLong(LanesSimulation::emitted).sum();

    assertThat(emitted).isPositive();
  }

  /** With room for what every split has; nothing is given up but when a lane is slow to start. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void order_holds_within_the_slack_across_lanes(int lanes) {
    List<LanesSimulation> runs = run(lanes, true);

    List<LanesSimulation> kept = runs.stream().filter(run -> run.givenUp() == 0).toList();
    assertThat(kept).hasSizeGreaterThanOrEqualTo(runs.size() * 9 / 10);
    assertThat(kept)
        .allSatisfy(
            run -> {
              assertThat(run.disorderMillis()).isLessThanOrEqualTo(LanesSimulation.SLACK_MILLIS);
              assertThat(run.countedDisorderMillis()).isLessThanOrEqualTo(run.disorderMillis());
            });
  }

  private static List<LanesSimulation> run(int lanes, boolean wide) {
    Long one = Long.getLong("korpse.sim.seed");
    return (one == null ? LongStream.range(0, SEEDS) : LongStream.of(one))
        .parallel()
        .mapToObj(seed -> new LanesSimulation(seed, lanes, wide).run())
        .toList();
  }
}
