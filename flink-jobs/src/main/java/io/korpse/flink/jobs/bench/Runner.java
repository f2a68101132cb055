package io.korpse.flink.jobs.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Runs one scenario: per variant one topic, per source one child for all of its runs, and the
 * sources in turn within each round, so that what disturbs the machine disturbs all of them.
 */
final class Runner {

  private final Host host;
  private final Scenario scenario;
  private final Settings settings;
  private final List<SourceKind> sources;
  private final Path profiles;

  /**
   * @param profiles directory for a flight recording of each child; null for none
   */
  Runner(Host host, Scenario scenario, Settings settings, List<SourceKind> sources, Path profiles) {
    this.profiles = profiles;
    this.host = host;
    this.scenario = scenario;
    this.settings = settings;
    this.sources = List.copyOf(sources);
  }

  List<Run> run() throws Exception {
    List<Run> runs = new ArrayList<>();
    for (String variant : scenario.variants(settings)) {
      host.progress("%s %s: preparing".formatted(scenario.name(), variant).replace(" :", ":"));
      scenario.prepare(host, variant, settings);
      Map<SourceKind, Child> children = new EnumMap<>(SourceKind.class);
      try {
        runVariant(variant, children, runs);
      } finally {
        children.values().forEach(Child::close);
      }
    }
    return runs;
  }

  private void runVariant(String variant, Map<SourceKind, Child> children, List<Run> runs)
      throws Exception {
    int warmups = settings.number(Option.WARMUPS);
    int rounds = settings.number(Option.RUNS);
    List<SourceKind> order = new ArrayList<>(sources);
    for (int round = 1 - warmups; round <= rounds; round++) {
      Map<SourceKind, Figures> figures = new EnumMap<>(SourceKind.class);
      for (SourceKind source : order) {
        Figures found = runOnce(source, variant, children);
        figures.put(source, found);
        String label = round > 0 ? "run %d of %d".formatted(round, rounds) : "thrown away";
        host.progress(
            "%s %s %s, %s: %s".formatted(scenario.name(), variant, source.label(), label, found));
      }
      Collections.rotate(order, 1);
      scenario.compare(figures);
      if (round > 0) {
        for (SourceKind source : sources) {
          runs.add(new Run(source, round, variant, figures.get(source)));
        }
      }
    }
  }

  private List<String> childOptions(SourceKind source) {
    List<String> options = new ArrayList<>(scenario.childOptions());
    if (profiles != null) {
      Path file = profiles.resolve("%s-%s.jfr".formatted(scenario.name(), source.label()));
      options.add("-XX:StartFlightRecording=settings=profile,dumponexit=true,filename=" + file);
    }
    return options;
  }

  private Figures runOnce(SourceKind source, String variant, Map<SourceKind, Child> children)
      throws Exception {
    Child child = children.get(source);
    if (child == null) {
      child =
          Child.start(
              host.directory(), source.label(), settings.text(Option.HEAP), childOptions(source));
      children.put(source, child);
    }
    try {
      return scenario.run(host, child, source, variant, settings);
    } finally {
      if (scenario.freshChildPerRun()) {
        children.remove(source);
        child.close();
      }
    }
  }
}
