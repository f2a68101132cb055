package io.korpse.flink.jobs.bench;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/**
 * The command {@code flink-jobs/bin/bench}. Progress goes to standard error, results to standard
 * output.
 */
public final class Bench {

  private static final String ALL = "all";
  private static final String DOCS = "docs";
  private static final String CHECK = "--check";

  private final Path target;
  private final PrintStream results;
  private final PrintStream progress;
  private final Host shared;

  /**
   * @param target {@code flink-jobs/target}
   */
  Bench(Path target, PrintStream results, PrintStream progress) {
    this(target, results, progress, null);
  }

  /**
   * @param shared what each run uses and leaves open; null for a broker of its own
   */
  Bench(Path target, PrintStream results, PrintStream progress, Host shared) {
    this.target = target;
    this.results = results;
    this.progress = progress;
    this.shared = shared;
  }

  public static void main(String[] args) {
    System.exit(
        new Bench(Path.of(System.getProperty("bench.target", "target")), System.out, System.err)
            .execute(args));
  }

  /**
   * Returns 0 when everything was measured, 1 when a run failed or a target was missed that was to
   * be checked, 2 when the command line is wrong.
   */
  int execute(String... args) {
    CommandLine command = new CommandLine(commandSpec());
    command.setExecutionStrategy(
        parsed -> {
          if (parsed.hasMatchedOption("--help")) {
            command.usage(results);
            return 0;
          }
          return run(parsed, args);
        });
    return command.execute(args);
  }

  private int run(ParseResult parsed, String[] args) {
    try {
      if (parsed.matchedPositionalValue(0, "").equals(ALL)) {
        return status(parsed, measureAll(parsed));
      }
      if (parsed.matchedPositionalValue(0, "").equals(DOCS)) {
        PerformanceDoc.write(docs().resolve("performance"), docs().resolve("performance.md"));
        return 0;
      }
      Plan plan = Plan.of(parsed, args);
      Report report = measure(plan);
      if (plan.json != null) {
        Json.write(plan.json, report.toJson());
      }
      return status(parsed, report.missed());
    } catch (IllegalArgumentException e) {
      progress.println(e.getMessage());
      return 2;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 1;
    } catch (Exception e) {
      progress.println("Failed: " + e);
      for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
        progress.println("  caused by " + cause);
      }
      return 1;
    }
  }

  private int status(ParseResult parsed, List<String> missed) {
    if (!parsed.hasMatchedOption(CHECK)) {
      return 0;
    }
    missed.forEach(target -> progress.println("Target " + target));
    return missed.isEmpty() ? 0 : 1;
  }

  private Report measure(Plan plan) throws Exception {
    if (plan.profiles != null) {
      Files.createDirectories(plan.profiles);
    }
    if (shared != null) {
      return measure(plan, shared);
    }
    try (Host host = Host.start(target, progress)) {
      return measure(plan, host);
    }
  }

  private Report measure(Plan plan, Host host) throws Exception {
    List<Run> runs =
        new Runner(host, plan.scenario, plan.settings, plan.sources, plan.profiles).run();
    Report report =
        new Report(plan.scenario.name(), plan.command, Environment.describe(), plan.settings, runs);
    results.println(report.toTable());
    results.println(report.toTargets());
    return report;
  }

  /**
   * Measures the suite, or some of it, and writes the document anew after each part; returns the
   * targets that were missed.
   */
  private List<String> measureAll(ParseResult parsed) throws Exception {
    Path directory = docs().resolve("performance");
    String only = parsed.matchedOptionValue("--only", "");
    List<String> names = only.isEmpty() ? List.of() : List.of(only.split(",", -1));
    for (String name : names) {
      if (Suite.entries().stream().noneMatch(entry -> entry.name().equals(name))) {
        throw new IllegalArgumentException("The suite has no part '%s'.".formatted(name));
      }
    }
    List<String> missed = new ArrayList<>();
    for (Suite.Entry entry : Suite.entries()) {
      if (names.isEmpty() || names.contains(entry.name())) {
        String[] arguments = arguments(entry, parsed).toArray(new String[0]);
        Plan plan = Plan.of(new CommandLine(commandSpec()).parseArgs(arguments), arguments);
        results.println("## " + entry.title() + "\n");
        Report report = measure(plan);
        Json.write(directory.resolve(entry.name() + ".json"), report.toJson());
        PerformanceDoc.write(directory, docs().resolve("performance.md"));
        report.missed().forEach(target -> missed.add(entry.name() + " " + target));
      }
    }
    return missed;
  }

  private Path docs() {
    return target.toAbsolutePath().getParent().resolveSibling("docs");
  }

  /** The arguments of a part, with the options of the command line that its scenario takes. */
  private static List<String> arguments(Suite.Entry entry, ParseResult parsed) {
    List<String> arguments = new ArrayList<>(entry.arguments());
    Map<Option, String> taken = Scenarios.named(arguments.get(0)).defaults();
    for (Option option : Option.values()) {
      if (parsed.hasMatchedOption(option.flag())
          && taken.containsKey(option)
          && option != Option.KEYS
          && !arguments.contains(option.flag())) {
        arguments.add(option.flag());
        arguments.add(parsed.matchedOptionValue(option.flag(), ""));
      }
    }
    return arguments;
  }

  static CommandSpec commandSpec() {
    CommandSpec spec = CommandSpec.create().name("bench");
    spec.usageMessage()
        .width(110)
        .description("Measures Korpse against flink-connector-kafka and a bare consumer.")
        .footer(footer().toArray(new String[0]));
    spec.addPositional(
        PositionalParamSpec.builder()
            .index("0")
            .arity("0..1")
            .paramLabel("SCENARIO")
            .type(String.class)
            .description(
                "What to measure, see below; 'all' measures everything in docs/performance.md and"
                    + " writes it anew, 'docs' only writes it from the results that are there.")
            .build());
    spec.addOption(
        OptionSpec.builder("--source")
            .paramLabel("SOURCE[,SOURCE...]")
            .type(String.class)
            .defaultValue("all")
            .description("What to measure it with: all, or some of the sources below.")
            .build());
    for (Option option : Option.values()) {
      OptionSpec.Builder builder =
          OptionSpec.builder(option.flag()).description(option.description());
      spec.addOption(
          option == Option.KEYS
              ? builder.arity("0").type(Boolean.class).build()
              : builder.arity("1").type(String.class).paramLabel(option.label()).build());
    }
    spec.addOption(
        OptionSpec.builder("--only")
            .paramLabel("NAME[,NAME...]")
            .type(String.class)
            .description("With 'all': only these parts of docs/performance.md.")
            .build());
    spec.addOption(
        OptionSpec.builder(CHECK)
            .arity("0")
            .type(Boolean.class)
            .description(
                "End with 1 when Korpse missed a target, or its runs do not tell; targets that"
                    + " compare it with a source that was not measured are left out.")
            .build());
    spec.addOption(
        OptionSpec.builder("--json")
            .paramLabel("FILE")
            .type(Path.class)
            .description("Also write the runs, their summary and the ratios to FILE.")
            .build());
    spec.addOption(
        OptionSpec.builder("--profile")
            .paramLabel("DIR")
            .type(Path.class)
            .description("Leave a flight recording of each source's child in DIR.")
            .build());
    spec.addOption(
        OptionSpec.builder("-h", "--help").usageHelp(true).description("Print this.").build());
    return spec;
  }

  private static List<String> footer() {
    List<String> lines = new ArrayList<>(List.of("", "Scenarios, with their defaults:"));
    for (Scenario scenario : Scenarios.all()) {
      lines.add("  %-11s %s".formatted(scenario.name(), scenario.purpose()));
      StringBuilder defaults = new StringBuilder();
      new EnumMap<>(scenario.defaults())
          .forEach(
              (option, value) ->
                  defaults.append(value.isEmpty() ? "" : " " + option.flag() + " " + value));
      lines.add("              " + defaults.toString().strip());
    }
    lines.add("");
    lines.add("Sources:");
    for (SourceKind kind : SourceKind.values()) {
      lines.add("  %-14s %s".formatted(kind.label(), kind.description()));
    }
    return lines;
  }

  /** A checked command line. */
  static final class Plan {

    final Scenario scenario;
    final Settings settings;
    final List<SourceKind> sources;
    final Path json;
    final Path profiles;
    final String command;

    private Plan(
        Scenario scenario,
        Settings settings,
        List<SourceKind> sources,
        Path json,
        Path profiles,
        String command) {
      this.scenario = scenario;
      this.settings = settings;
      this.sources = sources;
      this.json = json;
      this.profiles = profiles;
      this.command = command;
    }

    /**
     * @throws IllegalArgumentException if the command line asks for what there is not
     */
    static Plan of(ParseResult parsed, String... args) {
      if (!parsed.hasMatchedPositional(0)) {
        throw new IllegalArgumentException(
            "Which scenario? One of " + String.join(", ", Scenarios.names()) + ".");
      }
      Scenario scenario = Scenarios.named(parsed.matchedPositionalValue(0, ""));
      Map<Option, String> given = new EnumMap<>(Option.class);
      for (Option option : Option.values()) {
        if (parsed.hasMatchedOption(option.flag())) {
          given.put(option, parsed.matchedOptionValue(option.flag(), (Object) "").toString());
        }
      }
      Settings settings = Settings.of(scenario.name(), scenario.defaults(), given);
      return new Plan(
          scenario,
          settings,
          sources(scenario, parsed.matchedOptionValue("--source", "all")),
          parsed.matchedOptionValue("--json", (Path) null),
          parsed.matchedOptionValue("--profile", (Path) null),
          "flink-jobs/bin/bench " + String.join(" ", withoutFiles(args)));
    }

    /** The arguments but for what becomes of the results, which changes none of them. */
    private static List<String> withoutFiles(String... args) {
      List<String> kept = new ArrayList<>();
      for (int i = 0; i < args.length; i++) {
        if (args[i].equals("--json")) {
          i++;
        } else if (!args[i].startsWith("--json=") && !args[i].equals(CHECK)) {
          kept.add(args[i]);
        }
      }
      return kept;
    }

    private static List<SourceKind> sources(Scenario scenario, String names) {
      if (names.equals("all")) {
        return scenario.sources();
      }
      List<SourceKind> sources = new ArrayList<>();
      for (String name : names.split(",", -1)) {
        SourceKind kind = SourceKind.of(name.trim());
        boolean known = scenario.sources().contains(kind) || kind.anywhere();
        if (!known) {
          throw new IllegalArgumentException(
              "Scenario '%s' has no source '%s'.".formatted(scenario.name(), kind.label()));
        }
        sources.add(kind);
      }
      return sources;
    }
  }
}
