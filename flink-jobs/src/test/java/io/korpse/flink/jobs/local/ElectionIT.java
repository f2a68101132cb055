package io.korpse.flink.jobs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two JobManagers without any TaskManager. */
@Timeout(240)
final class ElectionIT {

  private static final Duration A_WHILE = Duration.ofMinutes(1);

  @Test
  void the_leader_is_the_one_that_was_elected_and_not_the_one_that_was_there_first() {
    try (Workspace workspace = Workspace.create("korpse-election-")) {
      Classpath jars = Classpath.of(Path.of("target"));
      Map<String, String> settings =
          new HashMap<>(LocalZooKeeper.start(workspace, jars).highAvailability());
      settings.put("high-availability.zookeeper.client.session-timeout", "3 s");
      LocalFlink flink = LocalFlink.start(workspace, jars, Ports.free(1).get(0), 0, settings);
      ChildProcess first = flink.jobManager();
      assertThat(flink.leadingJobManager(A_WHILE)).isEqualTo(first);

      flink.startJobManager();
      first.freeze();
      Await.until("another leader", A_WHILE, () -> flink.leadingJobManager(A_WHILE) != first);
      first.thaw();

      assertThat(flink.jobManager()).isEqualTo(first);
      assertThat(flink.leadingJobManager(A_WHILE)).isNotEqualTo(first);
      flink.leadingJobManager(A_WHILE).requireAlive();
    }
  }
}
