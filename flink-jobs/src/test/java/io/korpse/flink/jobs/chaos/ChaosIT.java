package io.korpse.flink.jobs.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A short fixed plan; {@code bin/chaos} has the long ones. */
@Timeout(900)
final class ChaosIT {

  private static final List<Fault> PLAN =
      List.of(
          new Fault(FaultKind.TASKMANAGER_KILL, 3_000, 0, 0),
          new Fault(FaultKind.ADD_PARTITIONS, 4_000, 0, 0),
          new Fault(FaultKind.LEADER_KILL, 6_000, 0, 2_000),
          new Fault(FaultKind.STORAGE_FAILURE, 7_000, 0, 3_000),
          new Fault(FaultKind.CUT_DISCOVERY, 8_000, 0, 3_000),
          new Fault(FaultKind.RESCALE, 9_000, 0, 0),
          new Fault(FaultKind.JOBMANAGER_KILL, 12_000, 0, 0));

  @Test
  void a_copy_is_whole_after_kills_cuts_lost_storage_new_partitions_and_a_rescale()
      throws Exception {
    StringWriter progress = new StringWriter();
    ChaosRun run = new ChaosRun(0, PLAN, 1, 500, new PrintWriter(progress));

    ChaosResult result = run.run(Path.of("").toAbsolutePath(), Optional.empty());

    assertThat(result.verdict().details()).as(progress.toString()).isEmpty();
    assertThat(result.commits().details()).as(progress.toString()).isEmpty();
    assertThat(result.clean()).isTrue();
    assertThat(result.verdict().records()).isGreaterThan(1_000);
    assertThat(result.commits().traced()).isGreaterThan(10);
    assertThat(result.happened()).extracting(ChaosResult.Happened::fault).isEqualTo(PLAN);
  }

  @Test
  void a_wrong_option_ends_with_2() {
    assertThat(Chaos.execute("--faults=earthquake", "--home=.")).isEqualTo(2);
    assertThat(Chaos.execute("--minutes=0", "--home=.")).isEqualTo(2);
    assertThat(Chaos.execute("--seed=x", "--home=.")).isEqualTo(2);
  }
}
