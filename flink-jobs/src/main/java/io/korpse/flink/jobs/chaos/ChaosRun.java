package io.korpse.flink.jobs.chaos;

import io.korpse.flink.jobs.local.Classpath;
import io.korpse.flink.jobs.local.Workspace;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;

/** One run of the chaos: load, faults, and the verdict over the copy. */
final class ChaosRun {

  private static final Duration TIME_TO_CATCH_UP = Duration.ofMinutes(5);

  private final long seed;
  private final List<Fault> faults;
  private final int brokers;
  private final int rate;
  private final PrintWriter err;
  private final List<ChaosResult.Happened> happened = new ArrayList<>();

  ChaosRun(long seed, List<Fault> faults, int brokers, int rate, PrintWriter err) {
    this.seed = seed;
    this.faults = faults;
    this.brokers = brokers;
    this.rate = rate;
    this.err = err;
  }

  /**
   * Runs to the end and returns what came of it.
   *
   * @param home directory of flink-jobs
   * @param logs where the logs are kept, if anywhere
   */
  ChaosResult run(Path home, Optional<Path> logs) throws Exception {
    say("Seed " + seed + "; the plan:");
    faults.forEach(fault -> say("  " + fault));
    try (Workspace workspace = Workspace.create("korpse-chaos-")) {
      logs.ifPresent(workspace::keepLogs);
      say("Starting " + brokers + " brokers and Flink");
      ChaosCluster cluster =
          ChaosCluster.start(workspace, Classpath.of(home.resolve("target")), brokers);
      CheckpointPositions checkpoints =
          new CheckpointPositions(List.of(cluster.checkpoints(), cluster.savepoints()));
      try (Admin admin = cluster.kafka().admin();
          NumberWriter writer =
              new NumberWriter(
                  cluster.kafka().bootstrapServers(ChaosCluster.CLIENTS),
                  ChaosCluster.ORIGINAL,
                  ChaosCluster.PARTITIONS,
                  rate);
          GroupWatch group = new GroupWatch(admin, ChaosCluster.GROUP, checkpoints)) {
        Injector injector = new Injector(cluster, admin, writer);
        long start = System.nanoTime();
        for (Fault fault : faults) {
          sleepUntil(start + fault.atMillis() * 1_000_000);
          happen(cluster, injector, fault, start);
        }
        long[] written = writer.stop();
        say("Written; waiting for the copy");
        group.awaitEnd(ChaosCluster.ORIGINAL, written.length, TIME_TO_CATCH_UP);
        cluster.stop();
        CommitAudit commits = group.audit();
        CommitLog.read(
            cluster.kafka().bootstrapServers(), ChaosCluster.GROUP, commits, TIME_TO_CATCH_UP);
        return new ChaosResult(
            seed, happened, verdict(cluster, written), commits, injector.frozen());
      }
    }
  }

  private static Verdict verdict(ChaosCluster cluster, long[] written) {
    Verdict verdict = new Verdict();
    TopicReader.read(
        cluster.kafka().bootstrapServers(),
        ChaosCluster.COPY,
        written.length,
        verdict::take,
        TIME_TO_CATCH_UP);
    verdict.expect(written);
    return verdict;
  }

  private void happen(ChaosCluster cluster, Injector injector, Fault fault, long start)
      throws InterruptedException, ExecutionException, IOException {
    long began = System.nanoTime();
    String target = injector.inject(fault);
    cluster.awaitRecovery();
    ChaosResult.Happened entry =
        new ChaosResult.Happened(
            fault, target, (began - start) / 1_000_000, (System.nanoTime() - began) / 1_000_000);
    happened.add(entry);
    say(
        String.format(
            Locale.ROOT,
            "%6.1f s  %-18s %-20s recovered after %.1f s",
            entry.atMillis() / 1e3,
            fault.kind(),
            target,
            entry.recoveryMillis() / 1e3));
  }

  private static void sleepUntil(long nanoTime) throws InterruptedException {
    Thread.sleep(Math.max(0, (nanoTime - System.nanoTime()) / 1_000_000));
  }

  private void say(String line) {
    err.println(line);
    err.flush();
  }
}
