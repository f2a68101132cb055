package io.korpse.flink.jobs.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two short fixed plans with all kinds but three; {@code bin/chaos} has the long ones. */
@Timeout(900)
final class ChaosIT {

  /** TaskManagers are cut off for longer than the heartbeat's time, and are given up. */
  private static final List<Fault> ONE_BROKER =
      List.of(
          new Fault(FaultKind.TASKMANAGER_KILL, 3_000, 0, 0),
          new Fault(FaultKind.ADD_PARTITIONS, 4_000, 0, 0),
          new Fault(FaultKind.LEADER_KILL, 6_000, 0, 2_000),
          new Fault(FaultKind.STORAGE_FAILURE, 7_000, 0, 3_000),
          new Fault(FaultKind.CUT_DISCOVERY, 8_000, 0, 3_000),
          new Fault(FaultKind.RESCALE, 9_000, 0, 0),
          new Fault(FaultKind.CUT_RPC, 10_000, 0, 10_000),
          new Fault(FaultKind.JOBMANAGER_KILL, 12_000, 0, 0));

  /** The freeze is longer than the heartbeat's time, so the TaskManager comes back as a zombie. */
  private static final List<Fault> THREE_BROKERS =
      List.of(
          new Fault(FaultKind.COORDINATOR_KILL, 3_000, 0, 2_000),
          new Fault(FaultKind.TASKMANAGER_FREEZE, 4_000, 0, 10_000),
          new Fault(FaultKind.CUT_COMMIT, 5_000, 0, 3_000),
          new Fault(FaultKind.FLINK_KILL, 6_000, 0, 0),
          new Fault(FaultKind.CONTROLLER_KILL, 7_000, 0, 2_000),
          new Fault(FaultKind.CUT_FETCH, 8_000, 1, 3_000),
          new Fault(FaultKind.SAVEPOINT, 9_000, 0, 0));

  @Test
  void a_copy_is_whole_after_kills_cuts_lost_storage_new_partitions_and_a_rescale()
      throws Exception {
    ChaosResult result = run(ONE_BROKER, 1);

    assertThat(result.commits().details()).isEmpty();
  }

  @Test
  void a_copy_is_whole_after_a_zombie_lost_brokers_a_lost_cluster_and_a_savepoint()
      throws Exception {
    ChaosResult result = run(THREE_BROKERS, 3);

    assertThat(result.frozen()).as("a reader was on the TaskManager").isNotEmpty();
  }

  /** Runs a plan and expects a clean result. */
  private static ChaosResult run(List<Fault> plan, int brokers) throws Exception {
    StringWriter progress = new StringWriter();
    ChaosRun run = new ChaosRun(0, plan, brokers, 500, new PrintWriter(progress));

    ChaosResult result = run.run(Path.of("").toAbsolutePath(), Optional.empty());

    assertThat(result.verdict().details()).as(progress.toString()).isEmpty();
    assertThat(result.commits().ahead()).as(progress.toString()).isZero();
    assertThat(result.clean()).as(() -> String.join("\n", result.commits().details())).isTrue();
    assertThat(result.verdict().records()).isGreaterThan(1_000);
    assertThat(result.commits().traced()).isGreaterThan(10);
    assertThat(result.happened()).extracting(ChaosResult.Happened::fault).isEqualTo(plan);
    return result;
  }

  @Test
  void a_wrong_option_ends_with_2() {
    assertThat(Chaos.execute("--faults=earthquake", "--home=.")).isEqualTo(2);
    assertThat(Chaos.execute("--minutes=0", "--home=.")).isEqualTo(2);
    assertThat(Chaos.execute("--seed=x", "--home=.")).isEqualTo(2);
  }
}
