package io.korpse.flink.jobs.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A short fixed plan; {@code bin/chaos} has the long ones. */
@Timeout(900)
final class ChaosIT {

  private static final List<Fault> PLAN =
      List.of(
          new Fault(FaultKind.TASKMANAGER_KILL, 3_000, 0, 0),
          new Fault(FaultKind.BROKER_KILL, 6_000, 0, 2_000),
          new Fault(FaultKind.RESCALE, 9_000, 0, 0),
          new Fault(FaultKind.JOBMANAGER_KILL, 12_000, 0, 0));

  @Test
  void a_copy_is_whole_after_each_kind_of_process_was_killed_and_the_job_rescaled()
      throws Exception {
    StringWriter progress = new StringWriter();
    ChaosRun run = new ChaosRun(0, PLAN, 1, 500, new PrintWriter(progress));

    Verdict verdict = run.run(Path.of("").toAbsolutePath());

    assertThat(verdict.details()).as(progress.toString()).isEmpty();
    assertThat(verdict.clean()).isTrue();
    assertThat(verdict.records()).isGreaterThan(1_000);
    assertThat(run.happened()).extracting(ChaosRun.Happened::fault).isEqualTo(PLAN);
  }

  @Test
  void a_wrong_option_ends_with_2() {
    assertThat(Chaos.execute("--faults=earthquake", "--home=.")).isEqualTo(2);
    assertThat(Chaos.execute("--minutes=0", "--home=.")).isEqualTo(2);
    assertThat(Chaos.execute("--seed=x", "--home=.")).isEqualTo(2);
  }
}
