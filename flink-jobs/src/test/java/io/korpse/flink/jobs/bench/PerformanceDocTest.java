package io.korpse.flink.jobs.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class PerformanceDocTest {

  @TempDir private Path directory;

  @Test
  void has_a_section_for_each_result_and_none_for_a_part_that_was_not_measured() throws Exception {
    Scenario scenario = Scenarios.named("idle");
    Report report =
        new Report(
            "idle",
            "flink-jobs/bin/bench idle",
            Map.of("processor", "a processor"),
            Settings.of("idle", scenario.defaults(), Map.of()),
            List.of(
                new Run(SourceKind.KORPSE, 1, "", new Figures().put("netCpuPercent", 1.5)),
                new Run(SourceKind.RAW, 1, "", new Figures().put("netCpuPercent", 1.4))));
    Json.write(directory.resolve("idle.json"), report.toJson());
    Files.writeString(directory.resolve("notes.md"), "## What was cut\n");
    Path document = directory.resolve("performance.md");

    PerformanceDoc.write(directory, document);

    assertThat(document)
        .content()
        .contains("## Idle", "flink-jobs/bin/bench idle", "| `netCpuPercent` | 1.50 | 1.40 |")
        .contains("met, with 1.07", "a processor")
        .endsWith("\n\n## What was cut\n")
        .doesNotContain("## Latency");
  }

  @Test
  void every_part_of_the_suite_is_a_valid_command() {
    for (Suite.Entry entry : Suite.entries()) {
      String[] arguments = entry.arguments().toArray(new String[0]);
      Bench.Plan plan =
          Bench.Plan.of(new CommandLine(Bench.commandSpec()).parseArgs(arguments), arguments);
      assertThat(plan.scenario.name()).isEqualTo(arguments[0]);
    }
  }

  /** The document in the repository says what the results beside it say. */
  @Test
  void the_document_of_the_repository_is_up_to_date() throws Exception {
    Path docs = Path.of("../docs");
    if (Files.exists(docs.resolve("performance"))) {
      Path document = directory.resolve("performance.md");
      PerformanceDoc.write(docs.resolve("performance"), document);
      assertThat(docs.resolve("performance.md")).hasSameTextualContentAs(document);
    }
  }
}
