package io.korpse.flink.jobs.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * Renders {@code docs/performance.md} from the files of results beside it and, at its end, the
 * notes that lie with them, and from nothing else.
 */
final class PerformanceDoc {

  private static final String HEAD =
      """
      # Performance

      Written by `flink-jobs/bin/bench all` from the results and the notes in `docs/performance/`; do not edit. \
      `flink-jobs/bin/bench all --only NAME[,NAME...]` measures some sections again.

      How it is measured: the broker runs in a process of its own, each source in another one; the sources take \
      turns, and what the first whole runs say is thrown away. Rate, CPU and allocation are those of the steady \
      state, from the millionth record to the last; CPU is the CPU time of the whole process, garbage collection \
      and compilation included. Flink reuses objects along the chain (`pipeline.object-reuse`) for every source, \
      a checkpoint is made every second, the parallelism is 1, and Korpse has its default options. `raw` is a \
      bare consumer on one thread with Korpse's consumer settings. Cells are medians, with least and greatest \
      where there was more than one run. A target compares medians.

      What `partitions` calls `firstRecordSeconds` begins with the submission of the job and includes the start of Flink itself.
      """;

  /** The broker and one source alone stay below this. */
  private static final double QUIET_LOAD_PER_CORE = 2.5;

  private PerformanceDoc() {}

  static void write(Path results, Path document) throws IOException {
    StringBuilder text = new StringBuilder(HEAD);
    for (Suite.Entry entry : Suite.entries()) {
      Path file = results.resolve(entry.name() + ".json");
      if (Files.exists(file)) {
        append(text, entry, Json.parse(Files.readString(file), JsonNode.class));
      }
    }
    Path notes = results.resolve("notes.md");
    if (Files.exists(notes)) {
      text.append('\n').append(Files.readString(notes));
    }
    Files.createDirectories(document.toAbsolutePath().getParent());
    Files.writeString(document, text, StandardCharsets.UTF_8);
  }

  private static void append(StringBuilder text, Suite.Entry entry, JsonNode json) {
    Report report = Report.fromJson(json);
    text.append("\n## ").append(entry.title()).append("\n\n");
    text.append(Scenarios.named(report.scenario()).purpose()).append("\n\n");
    text.append("    ").append(report.command()).append("\n\n");
    text.append(report.toTable()).append('\n');
    text.append(report.toTargets());
    text.append('\n').append(machine(json.get("environment"))).append('\n');
  }

  private static String machine(JsonNode environment) {
    String remark =
        environment.path("loadAverageAtEnd").asDouble(0) > QUIET_LOAD_PER_CORE * cores(environment)
            ? " **Other work kept the machine busy: trust counts and bounds here, not rates.**"
            : "";
    return "Measured %s on %s, %s cores, %s MiB, %s; Java %s, Flink %s, Kafka %s, flink-connector-kafka %s; load average at the end %s."
            .formatted(
                environment.path("time").asText("once"),
                environment.path("processor").asText(),
                environment.path("cores").asText(),
                environment.path("memoryMiB").asText(),
                environment.path("os").asText(),
                environment.path("java").asText(),
                environment.path("flink").asText(),
                environment.path("kafka").asText(),
                environment.path("flink-connector-kafka").asText(),
                environment.path("loadAverageAtEnd").asText())
        + remark;
  }

  private static int cores(JsonNode environment) {
    return environment.path("cores").asInt(1);
  }
}
