package io.korpse.flink.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.flink.runtime.throwable.ThrowableClassifier;
import org.apache.flink.runtime.throwable.ThrowableType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FlightSchemaTest {

  @Test
  void reads_origin_and_delay() throws IOException {
    assertThat(
            read(
                "{\"date\":\"2001/01/01 00:47\",\"delay\":-6,\"distance\":1750,"
                    + "\"origin\":\"DTW\",\"destination\":\"LAS\"}"))
        .isEqualTo(new Flight("DTW", -6));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "this is not JSON        | not JSON",
        "{\"origin\":\"DTW\"     | not JSON",
        "{\"origin\":\"DTW\"} {} | not JSON",
        "``                      | no text 'origin'",
        "[]                      | no text 'origin'",
        "{\"delay\":5}           | no text 'origin'",
        "{\"origin\":\"DTW\"}    | no whole number 'delay'",
        "{\"origin\":\"DTW\",\"delay\":1.5} | no whole number 'delay'",
        "{\"origin\":\"DTW\",\"delay\":99999999999} | no whole number 'delay'",
      })
  void says_what_is_wrong_with_a_value(String value, String reason) {
    assertThatThrownBy(() -> read(value))
        .isInstanceOf(NotAFlightException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void a_bad_value_is_no_reason_for_flink_to_restart() {
    assertThat(ThrowableClassifier.getThrowableType(new NotAFlightException("bad", null)))
        .isEqualTo(ThrowableType.NonRecoverableError);
  }

  private static Flight read(String value) throws IOException {
    FlightSchema schema = new FlightSchema();
    schema.open(null);
    return schema.deserialize(value.getBytes(StandardCharsets.UTF_8));
  }
}
