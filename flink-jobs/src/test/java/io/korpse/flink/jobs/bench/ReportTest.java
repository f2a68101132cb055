package io.korpse.flink.jobs.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

class ReportTest {

  private static Run run(SourceKind source, int round, String variant, double rate) {
    return new Run(source, round, variant, new Figures().put("recordsPerSecond", rate));
  }

  private static JsonNode json(Run... runs) {
    return Json.parse(Json.line(report("throughput", runs).toJson()), JsonNode.class);
  }

  @Test
  void names_the_scenario_and_lists_every_run() {
    JsonNode json = json(run(SourceKind.KORPSE, 1, "", 10), run(SourceKind.KAFKA_SOURCE, 1, "", 5));

    assertThat(json.get("scenario").asText()).isEqualTo("throughput");
    assertThat(json.get("runs")).hasSize(2);
    assertThat(json.get("runs").get(1).get("source").asText()).isEqualTo("kafkasource");
    assertThat(json.get("runs").get(1).get("recordsPerSecond").asDouble()).isEqualTo(5);
  }

  @Test
  void sums_up_per_source_and_figure() {
    JsonNode figure =
        json(
                run(SourceKind.KORPSE, 1, "", 10),
                run(SourceKind.KORPSE, 2, "", 30),
                run(SourceKind.KORPSE, 3, "", 11))
            .at("/summary/korpse/recordsPerSecond");

    assertThat(figure.get("median").asDouble()).isEqualTo(11);
    assertThat(figure.get("min").asDouble()).isEqualTo(10);
    assertThat(figure.get("max").asDouble()).isEqualTo(30);
  }

  @Test
  void ratios_are_of_medians_over_the_peer() {
    JsonNode json =
        json(
            run(SourceKind.KORPSE, 1, "", 12),
            run(SourceKind.KAFKA_SOURCE, 1, "", 10),
            run(SourceKind.RAW, 1, "", 24));

    assertThat(json.at("/ratios/recordsPerSecond").asDouble()).isCloseTo(1.2, within(1e-9));
    assertThat(json.at("/ratiosOverRaw/recordsPerSecond").asDouble()).isCloseTo(0.5, within(1e-9));
  }

  @Test
  void a_source_that_was_not_measured_has_no_ratio() {
    JsonNode json = json(run(SourceKind.KAFKA_SOURCE, 1, "", 10));

    assertThat(json.get("ratios")).isEmpty();
    assertThat(json.has("ratiosOverRaw")).isFalse();
  }

  @Test
  void with_variants_the_last_one_stands_for_all_and_each_is_kept() {
    JsonNode json =
        json(run(SourceKind.KORPSE, 1, "8", 100), run(SourceKind.KORPSE, 1, "2000", 50));

    assertThat(json.at("/summary/korpse/recordsPerSecond/median").asDouble()).isEqualTo(50);
    assertThat(json.at("/variants/8/summary/korpse/recordsPerSecond/median").asDouble())
        .isEqualTo(100);
    assertThat(json.get("runs").get(0).get("variant").asText()).isEqualTo("8");
  }

  private static Report report(String scenario, Run... runs) {
    Settings settings = Settings.of(scenario, Scenarios.named(scenario).defaults(), Map.of());
    return new Report(scenario, "bench", Map.of(), settings, List.of(runs));
  }

  @Test
  void a_target_is_met_or_missed_by_the_ratio_of_medians() {
    Run peer = run(SourceKind.KAFKA_SOURCE, 1, "", 10);

    assertThat(report("json", run(SourceKind.KORPSE, 1, "", 12), peer).outcomes())
        .extracting(Target.Outcome::met)
        .containsExactly(true, null);
    assertThat(report("json", run(SourceKind.KORPSE, 1, "", 11), peer).toTargets())
        .contains("recordsPerSecond", "**missed**", "1.10");
  }

  @Test
  void a_target_of_korpse_with_other_options_says_which_and_goes_by_their_runs() {
    Run peer = run(SourceKind.KAFKA_SOURCE, 1, "", 10);
    Report report = report("json", run(SourceKind.KORPSE_2_EARLY, 1, "", 12), peer);

    assertThat(report.outcomes()).extracting(Target.Outcome::met).containsExactly(null, true);
    assertThat(report.toTargets())
        .contains(
            "korpse-2-early: `recordsPerSecond` at least 1.15 of kafkasource: met, with 1.20");
  }

  @Test
  void a_target_without_the_runs_to_tell_is_left_open() {
    assertThat(report("json", run(SourceKind.KAFKA_SOURCE, 1, "", 10)).outcomes())
        .isNotEmpty()
        .allSatisfy(outcome -> assertThat(outcome.met()).isNull());
  }

  @Test
  void what_is_missed_is_named_unless_a_source_that_it_takes_was_not_measured() {
    Run peer = run(SourceKind.KAFKA_SOURCE, 1, "", 10);

    assertThat(report("json", run(SourceKind.KORPSE, 1, "", 11), peer).missed())
        .containsExactly("`recordsPerSecond` at least 1.15 of kafkasource: missed");
    assertThat(report("json", run(SourceKind.KORPSE, 1, "", 12), peer).missed()).isEmpty();
    assertThat(report("json", run(SourceKind.KORPSE, 1, "", 11)).missed()).isEmpty();
    assertThat(report("json", peer).missed()).isEmpty();
  }

  @Test
  void a_target_of_which_the_runs_of_its_sources_do_not_tell_is_missed() {
    Run silent = new Run(SourceKind.KORPSE, 1, "", new Figures().put("survived", 1));

    assertThat(report("memory", silent).missed())
        .containsExactly(
            "`recordsEmitted` at least 150: not told", "`heldOverBound` at most 1: not told");
  }

  @Test
  void a_run_that_did_not_survive_or_emitted_nothing_or_held_too_much_misses_its_target() {
    Figures figures =
        new Figures().put("survived", 0).put("recordsEmitted", 149).put("heldOverBound", 1.01);

    assertThat(report("memory", new Run(SourceKind.KORPSE, 1, "", figures)).missed())
        .hasSize(3)
        .allMatch(target -> target.endsWith(": missed"));
  }

  @Test
  void reads_back_what_it_wrote() {
    Report report =
        report("json", run(SourceKind.KORPSE, 1, "", 12), run(SourceKind.KAFKA_SOURCE, 1, "", 10));

    Report read = Report.fromJson(Json.parse(Json.line(report.toJson()), JsonNode.class));

    assertThat(read.toJson()).isEqualTo(report.toJson());
    assertThat(read.toTable()).isEqualTo(report.toTable());
  }
}
