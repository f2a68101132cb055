package io.korpse.flink.jobs.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {

  private static final Map<Option, String> DEFAULTS =
      Map.of(Option.RUNS, "5", Option.RECORDS, "1000", Option.CONSUMER, "");

  @Test
  void the_users_value_lies_over_the_default() {
    Settings settings = Settings.of("s", DEFAULTS, Map.of(Option.RUNS, "2"));

    assertThat(settings.number(Option.RUNS)).isEqualTo(2);
    assertThat(settings.count(Option.RECORDS)).isEqualTo(1000);
  }

  @Test
  void an_option_that_the_scenario_does_not_take_is_refused_with_those_it_takes() {
    assertThatThrownBy(() -> Settings.of("idle", DEFAULTS, Map.of(Option.SIZE, "100")))
        .hasMessageContaining("idle")
        .hasMessageContaining("--size")
        .hasMessageContaining("--records");
  }

  @ParameterizedTest
  @CsvSource({
    "RUNS, 0",
    "RECORDS, many",
    "RECORDS, -1",
    "PARTITIONS, '8,,200'",
    "COMPRESSION, rar",
    "HEAP, 2",
    "VALUES, int",
    "PAYLOAD, zeros",
    "KEYS, yes",
    "CONSUMER, nonsense"
  })
  void nonsense_is_refused_with_the_value(Option option, String value) {
    assertThatThrownBy(() -> Settings.of("s", Map.of(option, "1"), Map.of(option, value)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(option.flag())
        .hasMessageContaining(value);
  }

  @Test
  void survives_the_way_to_the_child() {
    Settings settings =
        Settings.of(
            "s", DEFAULTS, Map.of(Option.CONSUMER, "fetch.max.wait.ms=50;check.crcs=false"));

    Settings there = Settings.fromMap(settings.toMap());

    assertThat(there.count(Option.RECORDS)).isEqualTo(1000);
    assertThat(there.consumerProperties())
        .containsEntry("fetch.max.wait.ms", "50")
        .containsEntry("check.crcs", "false");
  }

  @Test
  void the_defaults_of_every_scenario_are_valid_and_say_how_often_to_run() {
    for (Scenario scenario : Scenarios.all()) {
      Settings settings = Settings.of(scenario.name(), scenario.defaults(), Map.of());
      assertThat(settings.has(Option.RUNS) && settings.has(Option.WARMUPS)).isTrue();
      assertThat(settings.has(Option.HEAP)).isTrue();
      assertThat(scenario.sources()).contains(SourceKind.KORPSE, SourceKind.KAFKA_SOURCE);
    }
  }
}
