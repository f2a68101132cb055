package io.korpse.flink.jobs.bench;

import java.util.List;

/** The scenarios there are. */
final class Scenarios {

  private static final List<Scenario> ALL =
      List.of(
          new ThroughputScenario(),
          new JsonScenario(),
          new PartitionsScenario(),
          new LatencyScenario(),
          new IdleScenario(),
          new RestoreScenario(),
          new MemoryScenario(),
          new LoadScenario(),
          new OrderScenario(),
          new ResumeScenario(),
          new IsolationScenario(),
          new CommitScenario(),
          new LagScenario());

  private Scenarios() {}

  static List<Scenario> all() {
    return ALL;
  }

  static List<String> names() {
    return ALL.stream().map(Scenario::name).toList();
  }

  /**
   * @throws IllegalArgumentException if there is no scenario of that name
   */
  static Scenario named(String name) {
    return ALL.stream()
        .filter(scenario -> scenario.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "There is no scenario '%s'; there are %s."
                        .formatted(name, String.join(", ", names()))));
  }
}
