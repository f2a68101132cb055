package io.korpse.flink.jobs.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class BenchCommandLineTest {

  private final ByteArrayOutputStream results = new ByteArrayOutputStream();
  private final ByteArrayOutputStream progress = new ByteArrayOutputStream();

  private int execute(String... args) {
    return new Bench(
            Path.of("target"),
            new PrintStream(results, true, StandardCharsets.UTF_8),
            new PrintStream(progress, true, StandardCharsets.UTF_8))
        .execute(args);
  }

  private static Bench.Plan plan(String... args) {
    return Bench.Plan.of(new CommandLine(Bench.commandSpec()).parseArgs(args), args);
  }

  @Test
  void help_goes_to_the_results_and_names_every_scenario_and_source() {
    assertThat(execute("--help")).isZero();

    String help = results.toString(StandardCharsets.UTF_8);
    assertThat(help).contains(Scenarios.names());
    for (SourceKind kind : SourceKind.values()) {
      assertThat(help).contains(kind.label());
    }
    assertThat(progress.size()).isZero();
  }

  @Test
  void without_a_scenario_it_says_which_there_are() {
    assertThat(execute()).isEqualTo(2);
    assertThat(progress.toString(StandardCharsets.UTF_8)).contains("throughput", "memory");
  }

  @Test
  void an_unknown_scenario_is_refused_by_name() {
    assertThat(execute("thruput")).isEqualTo(2);
    assertThat(progress.toString(StandardCharsets.UTF_8)).contains("thruput", "throughput");
  }

  @Test
  void a_source_that_the_scenario_has_not_is_refused() {
    assertThat(execute("commit", "--source", "raw")).isEqualTo(2);
    assertThat(progress.toString(StandardCharsets.UTF_8)).contains("commit", "raw");
  }

  @Test
  void all_sources_are_those_of_the_scenario() {
    assertThat(plan("throughput").sources)
        .containsExactly(SourceKind.KORPSE, SourceKind.KAFKA_SOURCE, SourceKind.RAW);
    assertThat(plan("throughput", "--source", "raw").sources).containsExactly(SourceKind.RAW);
  }

  @Test
  void variants_of_korpse_are_measured_in_any_scenario_when_asked_for() {
    assertThat(plan("throughput", "--source", "korpse,korpse-2,korpse-2-early").sources)
        .containsExactly(SourceKind.KORPSE, SourceKind.KORPSE_2, SourceKind.KORPSE_2_EARLY);
    assertThat(plan("order", "--source", "korpse-2").sources).containsExactly(SourceKind.KORPSE_2);
  }

  @Test
  void options_override_the_defaults() {
    Bench.Plan plan =
        plan(
            "throughput",
            "--runs",
            "2",
            "--keys",
            "--size",
            "1024",
            "--check",
            "--json",
            "out.json");

    assertThat(plan.settings.number(Option.RUNS)).isEqualTo(2);
    assertThat(plan.settings.flag(Option.KEYS)).isTrue();
    assertThat(plan.settings.number(Option.SIZE)).isEqualTo(1024);
    assertThat(plan.settings.count(Option.RECORDS)).isEqualTo(20_000_000);
    assertThat(plan.json).isEqualTo(Path.of("out.json"));
    assertThat(plan.command)
        .isEqualTo("flink-jobs/bin/bench throughput --runs 2 --keys --size 1024");
  }
}
