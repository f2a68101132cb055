package io.korpse.flink.jobs.local;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class RootCauseTest {

  @Test
  void prefers_the_first_exception_of_this_project() {
    String trace =
        """
        org.apache.flink.util.FlinkException: Task failed
        \tat org.apache.flink.Some.method(Some.java:1)
        Caused by: io.korpse.flink.source.SomeException: Record 17 of flights-3 cannot be read
        Caused by: java.io.IOException: not JSON
        """;

    assertThat(RootCause.of(trace)).isEqualTo("Record 17 of flights-3 cannot be read");
  }

  @Test
  void prefers_what_this_project_threw_to_what_caused_it() {
    String trace =
        """
        org.apache.flink.util.FlinkException: Task failed
        \tat org.apache.flink.Some.method(Some.java:1)
        Caused by: java.io.IOException: Cannot read the record at offset 1 of flights-0
        \tat io.korpse.flink.source.reader.BadRecords.on(BadRecords.java:73)
        \tat org.apache.flink.Some.method(Some.java:1)
        Caused by: io.korpse.flink.jobs.NotAFlightException: not JSON
        """;

    assertThat(RootCause.of(trace)).isEqualTo("Cannot read the record at offset 1 of flights-0");
  }

  @Test
  void falls_back_to_the_last_cause() {
    String trace =
        """
        org.apache.flink.util.FlinkException: Task failed
        Caused by: java.io.IOException: disk full
        \t... 3 more
        Caused by: java.lang.IllegalStateException
        """;

    assertThat(RootCause.of(trace)).isEqualTo("disk full");
  }

  @Test
  void keeps_a_text_without_any_exception() {
    assertThat(RootCause.of("Job not found\n")).isEqualTo("Job not found");
  }
}
