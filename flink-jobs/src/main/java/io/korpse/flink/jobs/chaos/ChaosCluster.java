package io.korpse.flink.jobs.chaos;

import io.korpse.flink.jobs.CopyTopicJob;
import io.korpse.flink.jobs.local.Await;
import io.korpse.flink.jobs.local.ChildProcess;
import io.korpse.flink.jobs.local.Classpath;
import io.korpse.flink.jobs.local.FlinkRestException;
import io.korpse.flink.jobs.local.Listener;
import io.korpse.flink.jobs.local.LocalFlink;
import io.korpse.flink.jobs.local.LocalKafka;
import io.korpse.flink.jobs.local.LocalZooKeeper;
import io.korpse.flink.jobs.local.Ports;
import io.korpse.flink.jobs.local.Topics;
import io.korpse.flink.jobs.local.Workspace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** Brokers, Flink and the copying job. Not thread-safe. */
final class ChaosCluster {

  static final String ORIGINAL = "numbers";
  static final String COPY = "copy";
  static final String GROUP = "copy-topic";
  static final int PARTITIONS = 8;

  /** The listener of Flink and the writer, which can be cut; the harness itself uses another. */
  static final String CLIENTS = "CLIENTS";

  /** How often the job looks for new partitions; a cut of discovery lasts longer. */
  static final Duration DISCOVERY_INTERVAL = Duration.ofSeconds(2);

  static final Duration TIME_TO_RECOVER = Duration.ofMinutes(3);
  static final int MOST_SLOTS = 4;

  private static final Duration TIME_TO_START = Duration.ofMinutes(3);

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
    LocalFlink flink = startFlink(workspace, jars);
    LocalKafka kafka =
        LocalKafka.start(
            workspace,
            jars,
            brokers,
            Map.of(
                "broker.session.timeout.ms",
                "6000",
                "min.insync.replicas",
                brokers > 1 ? "2" : "1"),
            List.of(new Listener(CLIENTS, "PLAINTEXT", true)));
    kafka.awaitReady(TIME_TO_START);
    short replicas = (short) Math.min(3, brokers);
    try (Admin admin = kafka.admin()) {
      Topics.create(
          admin,
          new NewTopic(ORIGINAL, PARTITIONS, replicas),
          new NewTopic(COPY, PARTITIONS, replicas));
    }
    ChaosCluster cluster = new ChaosCluster(workspace, jars, kafka, flink);
    flink.awaitSlots(MOST_SLOTS, TIME_TO_START);
    cluster.submit(Optional.empty());
    cluster.awaitCheckpoint();
    return cluster;
  }

  private static LocalFlink startFlink(Workspace workspace, Classpath jars) {
    Map<String, String> settings =
        new HashMap<>(LocalZooKeeper.start(workspace, jars).highAvailability());
    // Every TaskManager gets work, so that harm to any is harm to the job.
    settings.put("taskmanager.load-balance.mode", "SLOTS");
    settings.put("restart-strategy.fixed-delay.attempts", "100000");
    settings.put("execution.checkpointing.timeout", "30 s");
    settings.put("execution.checkpointing.tolerable-failed-checkpoints", "1000");
    // Long enough for the audit of commits to read each.
    settings.put("execution.checkpointing.num-retained", "20");
    settings.put(
        "execution.checkpointing.externalized-checkpoint-retention", "RETAIN_ON_CANCELLATION");
    LocalFlink flink = LocalFlink.startRelayed(workspace, jars, Ports.free(1).get(0), 2, settings);
    flink.startJobManager();
    return flink;
  }

  LocalKafka kafka() {
    return kafka;
  }

  LocalFlink flink() {
    return flink;
  }

  int parallelism() {
    return parallelism;
  }

  /** The attempts of readers on a TaskManager, as the metadata of their commits names them. */
  List<String> readersOn(ChildProcess taskManager) {
    return flink.rest().attempts(jobId, "Source: ", taskManager.name()).stream()
        .map(attempt -> jobId + "/" + attempt)
        .toList();
  }

  /** Where the job's checkpoints are. */
  Path checkpoints() {
    return workspace.subdirectory("checkpoints");
  }

  /** Where the job's savepoints are. */
  Path savepoints() {
    return workspace.subdirectory("savepoints");
  }

  /** Waits until the brokers answer and the job has completed a checkpoint begun after now. */
  void awaitRecovery() {
    kafka.awaitReady(TIME_TO_RECOVER);
    awaitCheckpoint();
  }

  /** Stops the job with a savepoint and resumes it from there. */
  void resume(int newParallelism) {
    String savepoint = stop();
    parallelism = newParallelism;
    submit(Optional.of(savepoint));
  }

  /** Loses all of Flink; another cluster resumes the job from its newest retained checkpoint. */
  void replaceFlink() {
    flink.replace();
    flink.awaitSlots(parallelism, TIME_TO_START);
    submit(Optional.of(newestCheckpoint()));
  }

  /** Stops the job with a savepoint and returns where that is. */
  String stop() {
    long deadline = System.nanoTime() + TIME_TO_RECOVER.toNanos();
    while (true) {
      try {
        return flink.rest().stop(jobId, false, savepoints().toUri().toString(), TIME_TO_RECOVER);
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
    long now = System.currentTimeMillis();
    Await.until(
        "a checkpoint of the job",
        TIME_TO_RECOVER,
        () -> {
          try {
            OptionalLong began = flink.rest().newestCheckpointBegan(jobId);
            return began.isPresent() && began.getAsLong() >= now && flink.rest().allTasksRun(jobId);
          } catch (UncheckedIOException | FlinkRestException e) {
            return false;
          }
        });
  }

  private void submit(Optional<String> from) {
    List<String> arguments =
        List.of(
            "--bootstrap-server=" + kafka.bootstrapServers(CLIENTS),
            "--topic=" + ORIGINAL,
            "--to-topic=" + COPY,
            "--group=" + GROUP,
            "--keep-partition",
            "--checkpoint-interval=1000",
            "--property=partition.discovery.interval.ms=" + DISCOVERY_INTERVAL.toMillis());
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
}
