package io.korpse.flink.jobs.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemoryScenarioTest {

  @ParameterizedTest
  @CsvSource({"0, false", "4, true"})
  void headers_that_are_written_are_read(String headers, boolean read) {
    Settings settings =
        Settings.of("memory", new MemoryScenario().defaults(), Map.of(Option.HEADERS, headers));

    assertThat(KorpseSources.schema(MemoryScenario.decoding(settings)).readsHeaders())
        .isEqualTo(read);
  }
}
