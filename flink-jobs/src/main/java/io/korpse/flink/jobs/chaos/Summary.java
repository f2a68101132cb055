package io.korpse.flink.jobs.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Renders the results of many runs as two tables of Markdown. */
@Command(
    name = "summary",
    mixinStandardHelpOptions = true,
    description = {
      "Renders the JSON files of runs as tables: all runs, and each kind of fault.",
      "A fault has survived when its run ended clean."
    })
final class Summary implements Callable<Integer> {

  private static final List<String> COUNTS =
      List.of("records", "lost", "doubled", "reordered", "corrupt");
  private static final List<String> COMMITS =
      List.of("commitsBack", "commitsAhead", "commitsTraced", "commitsUntraced");

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", arity = "1..*", description = "What --json has written.")
  private List<Path> files;

  /** The faults of one kind, with their seconds of recovery. */
  private static final class Kind {
    private final List<Double> recovery = new ArrayList<>();
    private int survived;
  }

  @Override
  public Integer call() throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    List<JsonNode> runs = new ArrayList<>();
    for (Path file : files) {
      runs.add(mapper.readTree(file.toFile()));
    }
    spec.commandLine().getOut().print(render(runs));
    spec.commandLine().getOut().flush();
    return CommandLine.ExitCode.OK;
  }

  /** The tables, with a line at the end of each. */
  static String render(List<JsonNode> runs) {
    StringBuilder out = new StringBuilder();
    Map<String, Kind> kinds = new TreeMap<>();
    Kind all = new Kind();
    out.append("| seeds | faults | records | lost | doubled | reordered | corrupt |")
        .append(" commits back | ahead | traced | not traced |\n")
        .append("|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (JsonNode run : runs) {
      for (JsonNode fault : run.path("faults")) {
        Kind kind = kinds.computeIfAbsent(fault.path("kind").asText(), name -> new Kind());
        for (Kind each : List.of(kind, all)) {
          each.recovery.add(fault.path("recovery").asDouble());
          each.survived += run.path("clean").asBoolean() ? 1 : 0;
        }
      }
    }
    out.append("| ").append(runs.size()).append(" | ").append(all.recovery.size());
    for (List<String> columns : List.of(COUNTS, COMMITS)) {
      for (String column : columns) {
        long sum = runs.stream().mapToLong(run -> run.path(column).asLong()).sum();
        out.append(" | ").append(String.format(Locale.ROOT, "%,d", sum));
      }
    }
    out.append(" |\n\n| fault | injected | survived | recovery p50 | p95 |\n")
        .append("|---|---|---|---|---|\n");
    kinds.forEach((name, kind) -> append(out, "`" + name + "`", kind));
    append(out, "all", all);
    return out.toString();
  }

  private static void append(StringBuilder out, String name, Kind kind) {
    out.append(
        String.format(
            Locale.ROOT,
            "| %s | %d | %d | %.1f s | %.1f s |%n",
            name,
            kind.recovery.size(),
            kind.survived,
            quantile(kind.recovery, 0.50),
            quantile(kind.recovery, 0.95)));
  }

  /** The smallest value that the given share of all values does not exceed; 0 of none. */
  private static double quantile(List<Double> values, double share) {
    List<Double> sorted = values.stream().sorted().toList();
    int rank = (int) Math.ceil(share * sorted.size());
    return sorted.isEmpty() ? 0 : sorted.get(Math.max(0, rank - 1));
  }
}
