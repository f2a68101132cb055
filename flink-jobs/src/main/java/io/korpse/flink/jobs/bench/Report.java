package io.korpse.flink.jobs.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * The runs of one scenario and what follows from them.
 *
 * <p>With several variants, {@code summary} and {@code ratios} are those of the last one, the
 * largest by convention, and {@code variants} holds them for each.
 */
final class Report {

  private final String scenario;
  private final String command;
  private final Map<String, String> environment;
  private final Settings settings;
  private final List<Run> runs;

  Report(
      String scenario,
      String command,
      Map<String, String> environment,
      Settings settings,
      List<Run> runs) {
    this.scenario = scenario;
    this.command = command;
    this.environment = environment;
    this.settings = settings;
    this.runs = List.copyOf(runs);
  }

  /** Reads what {@link #toJson()} wrote; what follows from the runs is worked out again. */
  static Report fromJson(JsonNode json) {
    Map<String, String> environment = new LinkedHashMap<>();
    json.get("environment")
        .properties()
        .forEach(field -> environment.put(field.getKey(), field.getValue().asText()));
    Map<String, String> settings = new LinkedHashMap<>();
    json.get("settings")
        .properties()
        .forEach(field -> settings.put(field.getKey(), field.getValue().asText()));
    List<Run> runs = new ArrayList<>();
    for (JsonNode run : json.get("runs")) {
      Figures figures = new Figures();
      run.properties()
          .forEach(
              field -> {
                if (field.getValue().isNumber() && !field.getKey().equals("round")) {
                  figures.put(field.getKey(), field.getValue().asDouble());
                }
              });
      runs.add(
          new Run(
              SourceKind.of(run.get("source").asText()),
              run.get("round").asInt(),
              run.path("variant").asText(""),
              figures));
    }
    return new Report(
        json.get("scenario").asText(),
        json.get("command").asText(),
        environment,
        Settings.fromMap(settings),
        runs);
  }

  String scenario() {
    return scenario;
  }

  String command() {
    return command;
  }

  String lastVariant() {
    List<String> variants = variants();
    return variants.isEmpty() ? "" : variants.get(variants.size() - 1);
  }

  List<Target.Outcome> outcomes() {
    return targets().stream().map(target -> target.check(this)).toList();
  }

  private List<Target> targets() {
    return Scenarios.named(scenario).targets(settings);
  }

  /**
   * The targets that were missed, and those of which nothing is told though all of their sources
   * were measured: what cannot be told is not met.
   */
  List<String> missed() {
    Set<SourceKind> measured = summary(lastVariant()).keySet();
    return targets().stream()
        .filter(target -> measured.containsAll(target.sources()))
        .map(target -> target.check(this))
        .filter(outcome -> outcome.met() == null || !outcome.met())
        .map(outcome -> outcome.text() + (outcome.met() == null ? ": not told" : ": missed"))
        .toList();
  }

  /** A Markdown list of the targets and what became of them; empty if Korpse was not measured. */
  String toTargets() {
    StringBuilder text = new StringBuilder();
    for (Target.Outcome outcome : outcomes()) {
      if (outcome.met() != null) {
        text.append("- target ")
            .append(outcome.text())
            .append(": ")
            .append(outcome.met() ? "met" : "**missed**")
            .append(", with ")
            .append(Numbers.text(outcome.value()))
            .append('\n');
      }
    }
    return text.toString();
  }

  List<String> variants() {
    return runs.stream().map(Run::variant).distinct().toList();
  }

  /** Per source and figure: median, min and max over the runs of {@code variant}. */
  Map<SourceKind, Map<String, Statistics>> summary(String variant) {
    Map<SourceKind, Map<String, List<Double>>> values = new TreeMap<>();
    for (Run run : runs) {
      if (run.variant().equals(variant)) {
        Map<String, List<Double>> bySource =
            values.computeIfAbsent(run.source(), source -> new LinkedHashMap<>());
        run.figures()
            .forEach(
                (name, value) ->
                    bySource.computeIfAbsent(name, figure -> new ArrayList<>()).add(value));
      }
    }
    Map<SourceKind, Map<String, Statistics>> summary = new TreeMap<>();
    values.forEach(
        (source, figures) -> {
          Map<String, Statistics> row = new LinkedHashMap<>();
          figures.forEach((name, list) -> row.put(name, Statistics.of(list)));
          summary.put(source, row);
        });
    return summary;
  }

  /**
   * Median of {@code over} divided by median of {@code under}, by figure; a zero below is left out.
   */
  Map<String, Double> ratios(String variant, SourceKind over, SourceKind under) {
    Map<SourceKind, Map<String, Statistics>> summary = summary(variant);
    Map<String, Statistics> below = summary.getOrDefault(under, Map.of());
    Map<String, Double> ratios = new LinkedHashMap<>();
    summary
        .getOrDefault(over, Map.of())
        .forEach(
            (name, above) -> {
              Statistics base = below.get(name);
              if (base != null && base.median() != 0) {
                ratios.put(name, above.median() / base.median());
              }
            });
    return ratios;
  }

  Map<String, Object> toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("scenario", scenario);
    json.put("command", command);
    json.put("environment", environment);
    json.put("settings", settings.toMap());
    List<Map<String, Object>> list = new ArrayList<>();
    for (Run run : runs) {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("source", run.source().label());
      entry.put("round", run.round());
      if (!run.variant().isEmpty()) {
        entry.put("variant", run.variant());
      }
      entry.putAll(run.figures().toMap());
      list.add(entry);
    }
    json.put("runs", list);
    List<String> variants = variants();
    json.putAll(results(lastVariant()));
    json.put("targets", outcomes());
    if (variants.size() > 1) {
      Map<String, Object> each = new LinkedHashMap<>();
      variants.forEach(variant -> each.put(variant, results(variant)));
      json.put("variants", each);
    }
    return json;
  }

  private Map<String, Object> results(String variant) {
    Map<String, Object> results = new LinkedHashMap<>();
    Map<String, Object> bySource = new LinkedHashMap<>();
    summary(variant)
        .forEach(
            (source, figures) -> {
              Map<String, Object> row = new LinkedHashMap<>();
              figures.forEach(
                  (name, statistics) ->
                      row.put(
                          name,
                          Map.of(
                              "median", statistics.median(),
                              "min", statistics.min(),
                              "max", statistics.max())));
              bySource.put(source.label(), row);
            });
    results.put("summary", bySource);
    results.put("ratios", ratios(variant, SourceKind.KORPSE, SourceKind.KAFKA_SOURCE));
    putIfAny(results, "ratiosOverRaw", ratios(variant, SourceKind.KORPSE, SourceKind.RAW));
    putIfAny(results, "ratiosOverFair", ratios(variant, SourceKind.KORPSE, SourceKind.KORPSE_FAIR));
    return results;
  }

  private static void putIfAny(
      Map<String, Object> results, String name, Map<String, Double> ratios) {
    if (!ratios.isEmpty()) {
      results.put(name, ratios);
    }
  }

  /** A Markdown table per variant: a row per figure, a column per source. */
  String toTable() {
    StringBuilder text = new StringBuilder();
    for (String variant : variants()) {
      if (!variant.isEmpty()) {
        text.append(text.isEmpty() ? "" : "\n").append(variant).append(":\n\n");
      }
      appendTable(text, variant);
    }
    return text.toString();
  }

  private void appendTable(StringBuilder text, String variant) {
    Map<SourceKind, Map<String, Statistics>> summary = summary(variant);
    Map<String, Double> ratios = ratios(variant, SourceKind.KORPSE, SourceKind.KAFKA_SOURCE);
    Map<String, Double> overRaw = ratios(variant, SourceKind.KORPSE, SourceKind.RAW);
    text.append("| figure |");
    summary.keySet().forEach(source -> text.append(' ').append(source.label()).append(" |"));
    text.append(ratios.isEmpty() ? "" : " korpse/kafkasource |");
    text.append(overRaw.isEmpty() ? "" : " korpse/raw |");
    int columns = 1 + summary.size() + (ratios.isEmpty() ? 0 : 1) + (overRaw.isEmpty() ? 0 : 1);
    text.append('\n').append("|---".repeat(columns)).append("|\n");
    List<String> names =
        summary.values().stream().flatMap(row -> row.keySet().stream()).distinct().toList();
    for (String name : names) {
      text.append("| `").append(name).append("` |");
      summary.values().forEach(row -> text.append(' ').append(cell(row.get(name))).append(" |"));
      if (!ratios.isEmpty()) {
        text.append(' ').append(ratio(ratios.get(name))).append(" |");
      }
      if (!overRaw.isEmpty()) {
        text.append(' ').append(ratio(overRaw.get(name))).append(" |");
      }
      text.append('\n');
    }
  }

  private static String cell(Statistics statistics) {
    if (statistics == null) {
      return "-";
    }
    String median = Numbers.text(statistics.median());
    return statistics.count() == 1
        ? median
        : "%s (%s to %s)"
            .formatted(median, Numbers.text(statistics.min()), Numbers.text(statistics.max()));
  }

  private static String ratio(Double ratio) {
    return ratio == null ? "-" : "%.2f".formatted(ratio);
  }
}
