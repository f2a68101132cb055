package io.korpse.flink.jobs.chaos;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.jobs.local.Census;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code bin/chaos restarts} counts more of them. */
@Timeout(300)
final class RestartsIT {

  @Test
  void twenty_restarts_leave_no_thread_and_no_client_behind() throws Exception {
    List<Census> counts =
        new RestartCheck(new PrintWriter(System.err, true, UTF_8))
            .run(Path.of("").toAbsolutePath(), 20);

    assertThat(counts.get(1)).isEqualTo(counts.get(0));
    assertThat(counts.get(0).threads().keySet())
        .anyMatch(name -> name.contains("Source Data Fetcher"))
        .anyMatch(name -> name.contains("korpse-committer"));
    assertThat(counts.get(0).clients()).isGreaterThan(3);
  }
}
