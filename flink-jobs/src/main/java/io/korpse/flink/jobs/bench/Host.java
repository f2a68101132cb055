package io.korpse.flink.jobs.bench;

import io.korpse.flink.jobs.local.Classpath;
import io.korpse.flink.jobs.local.LocalKafka;
import io.korpse.flink.jobs.local.Topics;
import io.korpse.flink.jobs.local.Workspace;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * What the tool's half of a scenario works with: a broker, a directory, and somebody to talk to.
 */
final class Host implements AutoCloseable {

  private static final Duration BROKER_PATIENCE = Duration.ofSeconds(90);

  private final Workspace workspace;
  private final Path module;
  private final LocalKafka kafka;
  private final Admin admin;
  private final PrintStream progress;

  private Host(Workspace workspace, Path module, LocalKafka kafka, PrintStream progress) {
    this.workspace = workspace;
    this.module = module;
    this.kafka = kafka;
    this.admin = kafka.admin();
    this.progress = progress;
  }

  /**
   * Starts a broker in a process of its own.
   *
   * @param target {@code flink-jobs/target}, for the class paths of the build
   */
  static Host start(Path target, PrintStream progress) {
    Workspace workspace = Workspace.create("korpse-bench");
    try {
      progress.println("Starting a broker in " + workspace.directory());
      LocalKafka kafka =
          LocalKafka.start(workspace, Classpath.of(target), 1, Map.of("log.retention.ms", "-1"));
      kafka.awaitReady(BROKER_PATIENCE);
      return new Host(workspace, target.toAbsolutePath().getParent(), kafka, progress);
    } catch (RuntimeException e) {
      workspace.close();
      throw e;
    }
  }

  String bootstrap() {
    return kafka.bootstrapServers();
  }

  /** The directory of flink-jobs. */
  Path module() {
    return module;
  }

  /** Where the children may write. */
  Path directory() {
    return workspace.directory();
  }

  void progress(String line) {
    progress.println(line);
  }

  /** Creates a topic whose records no retention removes, whatever their timestamps. */
  void createTopic(String topic, int partitions) throws Exception {
    NewTopic created = new NewTopic(topic, partitions, (short) 1);
    created.configs(
        Map.of("retention.ms", "-1", "message.timestamp.after.max.ms", "9223372036854775807"));
    Topics.create(admin, created);
  }

  @Override
  public void close() {
    admin.close();
    workspace.close();
  }
}
