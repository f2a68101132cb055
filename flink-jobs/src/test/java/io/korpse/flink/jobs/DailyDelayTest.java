package io.korpse.flink.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Locale;
import org.apache.flink.types.PojoTestUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DailyDelayTest {

  private static final long DAY = Instant.parse("2001-03-09T00:00:00Z").toEpochMilli();

  @Test
  void writes_day_origin_flights_and_mean_with_four_decimals() {
    assertThat(new DailyDelay(DAY, "DFW", 3, -20).toCsv()).isEqualTo("2001-03-09,DFW,3,-6.6667");
  }

  @Test
  void writes_a_decimal_point_in_any_locale() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.GERMANY);
    try {
      assertThat(new DailyDelay(DAY, "DFW", 2, 5).toCsv()).isEqualTo("2001-03-09,DFW,2,2.5000");
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void quotes_an_origin_that_would_break_the_line() {
    assertThat(new DailyDelay(DAY, "a,\"b\"", 1, 0).toCsv())
        .isEqualTo("2001-03-09,\"a,\"\"b\"\"\",1,0.0000");
  }

  @ParameterizedTest
  @ValueSource(classes = {Flight.class, DelaySum.class, DailyDelay.class})
  void flink_serializes_the_types_without_kryo(Class<?> type) {
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(type);
  }
}
