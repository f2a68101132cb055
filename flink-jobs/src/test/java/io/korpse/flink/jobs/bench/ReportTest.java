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
    Settings settings = Settings.of("throughput", Map.of(Option.RUNS, "2"), Map.of());
    Report report =
        new Report("throughput", "bench throughput", Map.of("cores", "2"), settings, List.of(runs));
    return Json.parse(Json.line(report.toJson()), JsonNode.class);
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
}
