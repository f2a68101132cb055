package io.korpse.flink.jobs.chaos;

import io.korpse.flink.jobs.CopyTopicJob;
import io.korpse.flink.jobs.local.Await;
import io.korpse.flink.jobs.local.ChildProcess;
import io.korpse.flink.jobs.local.Classpath;
import io.korpse.flink.jobs.local.FlinkRestException;
import io.korpse.flink.jobs.local.LocalBroker;
import io.korpse.flink.jobs.local.LocalFlink;
import io.korpse.flink.jobs.local.LocalKafka;
import io.korpse.flink.jobs.local.Ports;
import io.korpse.flink.jobs.local.Workspace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** Brokers, Flink and the copying job, and what is done to them. Not thread-safe. */
final class ChaosCluster {

  static final String ORIGINAL = "numbers";
  static final String COPY = "copy";
  static final String GROUP = "copy-topic";
  static final int PARTITIONS = 8;

  private static final Duration TIME_TO_START = Duration.ofMinutes(3);
  private static final Duration TIME_TO_RECOVER = Duration.ofMinutes(3);
  private static final int MOST_SLOTS = 4;

  private final Workspace workspace;
  private final Classpath jars;
  private final LocalKafka kafka;
  private final LocalFlink flink;
  private int parallelism = 2;
  private String jobId;

  private ChaosCluster(Workspace workspace, Classpath jars, LocalKafka kafka, LocalFlink flink) {
    this.workspace = workspace;
    this.jars = jars;
    this.kafka = kafka;
    this.flink = flink;
  }

  /** Starts everything, creates the topics and submits the job. */
  static ChaosCluster start(Workspace workspace, Classpath jars, int brokers) throws Exception {
    LocalFlink flink =
        LocalFlink.start(
            workspace,
            jars,
            Ports.free(1).get(0),
            2,
            Map.of(
                // Every TaskManager gets work, so that harm to any is harm to the job.
                "taskmanager.load-balance.mode", "SLOTS",
                "restart-strategy.fixed-delay.attempts", "100000",
                "execution.checkpointing.timeout", "30 s",
                "execution.checkpointing.tolerable-failed-checkpoints", "1000",
                "execution.checkpointing.num-retained", "3",
                "execution.checkpointing.externalized-checkpoint-retention",
                    "RETAIN_ON_CANCELLATION"));
    LocalKafka kafka =
        LocalKafka.start(
            workspace,
            jars,
            brokers,
            Map.of(
                "broker.session.timeout.ms",
                "6000",
                "min.insync.replicas",
                brokers > 1 ? "2" : "1"));
    kafka.awaitReady(TIME_TO_START);
    short replicas = (short) Math.min(3, brokers);
    try (Admin admin = kafka.admin()) {
      admin
          .createTopics(
              List.of(
                  new NewTopic(ORIGINAL, PARTITIONS, replicas),
                  new NewTopic(COPY, PARTITIONS, replicas)))
          .all()
          .get();
    }
    flink.awaitSlots(MOST_SLOTS, TIME_TO_START);
    ChaosCluster cluster = new ChaosCluster(workspace, jars, kafka, flink);
    cluster.submit(Optional.empty());
    cluster.awaitCheckpoint();
    return cluster;
  }

  LocalKafka kafka() {
    return kafka;
  }

  /**
   * Does what is planned and returns what it was done to; the cluster is whole again, if shaken.
   */
  String inject(Fault fault) throws InterruptedException {
    return switch (fault.kind()) {
      case TASKMANAGER_KILL -> {
        ChildProcess victim = taskManager(fault);
        victim.kill();
        victim.awaitEnd();
        flink.startTaskManager();
        yield victim.name();
      }
      case TASKMANAGER_FREEZE -> freeze(taskManager(fault), fault);
      case BROKER_FREEZE -> freeze(broker(fault).process(), fault);
      case BROKER_KILL -> {
        LocalBroker victim = broker(fault);
        victim.process().kill();
        victim.process().awaitEnd();
        Thread.sleep(fault.lastsMillis());
        victim.start();
        yield "broker-" + victim.nodeId();
      }
      case JOBMANAGER_KILL -> {
        flink.jobManager().kill();
        flink.jobManager().awaitEnd();
        flink.startJobManager();
        flink.awaitSlots(parallelism, TIME_TO_START);
        submit(Optional.of(newestCheckpoint()));
        yield "jobmanager";
      }
      case RESCALE -> {
        int before = parallelism;
        parallelism = 1 + (before + fault.choice() % (MOST_SLOTS - 1)) % MOST_SLOTS;
        submit(Optional.of(stop()));
        yield before + " to " + parallelism;
      }
    };
  }

  /** Waits until the brokers answer and the job has completed a checkpoint begun after now. */
  void awaitRecovery() {
    kafka.awaitReady(TIME_TO_RECOVER);
    awaitCheckpoint();
  }

  /** Stops the job with a savepoint and returns where that is. */
  String stop() {
    long deadline = System.nanoTime() + TIME_TO_RECOVER.toNanos();
    while (true) {
      try {
        return flink
            .rest()
            .stop(
                jobId,
                false,
                workspace.subdirectory("savepoints").toUri().toString(),
                TIME_TO_RECOVER);
      } catch (FlinkRestException e) {
        // A task restarted under the savepoint: what counts is that it works in the end.
        if (System.nanoTime() - deadline > 0) {
          throw e;
        }
        awaitCheckpoint();
      }
    }
  }

  private void awaitCheckpoint() {
    long[] enough = {-1};
    Await.until(
        "a checkpoint of the job",
        TIME_TO_RECOVER,
        () -> {
          try {
            long completed = flink.rest().completedCheckpoints(jobId);
            if (!flink.rest().allTasksRun(jobId)) {
              enough[0] = -1;
              return false;
            }
            // The next one may have begun before now; the one after it has not.
            enough[0] = enough[0] < 0 ? completed + 2 : enough[0];
            return completed >= enough[0];
          } catch (UncheckedIOException | FlinkRestException e) {
            return false;
          }
        });
  }

  private void submit(Optional<String> from) {
    List<String> arguments =
        List.of(
            "--bootstrap-server=" + kafka.bootstrapServers(),
            "--topic=" + ORIGINAL,
            "--to-topic=" + COPY,
            "--group=" + GROUP,
            "--keep-partition",
            "--checkpoint-interval=1000");
    jobId =
        flink
            .rest()
            .run(
                flink.rest().upload(jars.jobJar()),
                CopyTopicJob.class.getName(),
                arguments,
                parallelism,
                from);
  }

  private String newestCheckpoint() {
    Path directory = workspace.directory().resolve("checkpoints").resolve(jobId);
    try (Stream<Path> files = Files.find(directory, 2, (file, a) -> file.endsWith("_metadata"))) {
      return files
          .max(Comparator.comparing(ChaosCluster::modified))
          .orElseThrow(() -> new IllegalStateException("No checkpoint in " + directory))
          .getParent()
          .toUri()
          .toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static FileTime modified(Path file) {
    try {
      return Files.getLastModifiedTime(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ChildProcess taskManager(Fault fault) {
    List<ChildProcess> alive = flink.taskManagers().stream().filter(ChildProcess::isAlive).toList();
    return alive.get(fault.choice() % alive.size());
  }

  private LocalBroker broker(Fault fault) {
    return kafka.brokers().get(fault.choice() % kafka.brokers().size());
  }

  private static String freeze(ChildProcess victim, Fault fault) throws InterruptedException {
    victim.freeze();
    try {
      Thread.sleep(fault.lastsMillis());
    } finally {
      victim.thaw();
    }
    return victim.name();
  }
}
