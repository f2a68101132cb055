package io.korpse.flink.jobs.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SummaryTest {

  @Test
  void adds_the_runs_up_and_tells_recovery_by_kind() throws Exception {
    String text =
        Summary.render(
            List.of(
                run(true, 1_000, "leader-kill", 10, "rescale", 4),
                run(true, 500, "leader-kill", 20, "leader-kill", 30)));

    assertThat(text)
        .contains("| 2 | 4 | 1,500 | 0 | 0 | 0 | 0 | 0 | 0 | 8 | 0 |\n")
        .contains("| `leader-kill` | 3 | 3 | 20.0 s | 30.0 s |\n")
        .contains("| `rescale` | 1 | 1 | 4.0 s | 4.0 s |\n")
        .contains("| all | 4 | 4 | 10.0 s | 30.0 s |\n");
  }

  @Test
  void faults_of_a_run_that_lost_something_have_not_survived() throws Exception {
    assertThat(Summary.render(List.of(run(false, 10, "rescale", 1, "rescale", 2))))
        .contains("| `rescale` | 2 | 0 |");
  }

  private static JsonNode run(
      boolean clean, int records, String first, int firstTook, String second, int secondTook)
      throws Exception {
    String json =
        """
        {"seed": 1, "clean": %b, "records": %d, "lost": 0, "commitsTraced": 4, "faults": [
          {"kind": "%s", "recovery": %d}, {"kind": "%s", "recovery": %d}]}
        """;
    return new ObjectMapper()
        .readTree(json.formatted(clean, records, first, firstTook, second, secondTook));
  }
}
