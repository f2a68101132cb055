package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.reader.proxy.ProxyBenchmark;
import java.util.Collection;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs each micro-benchmark once and for a moment, so that none breaks unseen. With {@code
 * -Dmicro=full} it measures: nanoseconds and allocated bytes per record go to standard output.
 */
class ReadingBenchmarksTest {

  @Test
  void each_benchmark_gives_a_time_and_an_allocation() throws Exception {
    boolean full = "full".equals(System.getProperty("micro"));
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(ProxyBenchmark.class.getSimpleName())
            .include(EmittingBenchmark.class.getSimpleName())
            .addProfiler(GCProfiler.class)
            .shouldFailOnError(true)
            .forks(full ? 1 : 0)
            .warmupIterations(full ? 3 : 0)
            .warmupTime(TimeValue.seconds(1))
            .measurementIterations(full ? 3 : 1)
            .measurementTime(full ? TimeValue.seconds(1) : TimeValue.milliseconds(1))
            .verbosity(full ? VerboseMode.NORMAL : VerboseMode.SILENT);

    Collection<RunResult> results = new Runner(options.build()).run();

    assertThat(results).hasSize(13);
    assertThat(results)
        .allSatisfy(
            result -> {
              assertThat(result.getPrimaryResult().getScore()).isPositive();
              assertThat(result.getSecondaryResults()).containsKey("gc.alloc.rate.norm");
            });
  }
}
