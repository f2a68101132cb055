package io.korpse.flink.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Properties;
import org.apache.flink.client.program.ProgramParametrizationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
final class FlightDelaysJobTest {

  private static final String[] REQUIRED = {"--bootstrap-server=localhost:1", "--out=/tmp/none"};

  @ParameterizedTest
  @CsvSource({
    "--no-such-option, Unknown option: '--no-such-option'",
    "--checkpoint-interval=soon, Invalid value for option '--checkpoint-interval'",
    "--start=yesterday, 'yesterday' is not committed",
    "--on-bad-record=EAT, Invalid value for option '--on-bad-record'",
    "--property=novalue, '--property'",
  })
  void a_wrong_option_ends_with_2_and_is_named(String option, String message) {
    CapturedRun run = run(REQUIRED[0], REQUIRED[1], option);

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains(message);
  }

  @Test
  void a_missing_option_ends_with_2_and_is_named() {
    CapturedRun run = run("--topic=flights");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("--bootstrap-server", "--out");
  }

  @Test
  void an_unreachable_broker_ends_with_1_within_30_seconds_and_is_named() {
    Instant start = Instant.now();
    CapturedRun run = run(REQUIRED);

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).startsWith("flight-delays: No Kafka broker answers at localhost:1");
    assertThat(Duration.between(start, Instant.now())).isLessThan(Duration.ofSeconds(30));
  }

  @Test
  void an_address_that_is_no_address_is_named() {
    assertThatThrownBy(
            () ->
                TopicCheck.require(
                    "no-port", List.of("flights"), new Properties(), Duration.ofSeconds(2)))
        .isInstanceOf(StartupException.class)
        .hasMessageContaining("no-port");
  }

  @Test
  void inside_flink_a_wrong_option_is_an_exception_and_not_the_end_of_the_jvm() {
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    Thread.currentThread().setContextClassLoader(new ClassLoader(before) {});
    try {
      assertThatThrownBy(() -> FlightDelaysJob.main(new String[] {"--no-such-option"}))
          .isInstanceOf(ProgramParametrizationException.class)
          .hasMessageContaining("--bootstrap-server");
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  private static CapturedRun run(String... arguments) {
    return CapturedRun.of(() -> JobMain.runAlone(new FlightDelaysJob(), arguments));
  }
}
