package io.korpse.flink.jobs.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The demo in its own process, ended by a signal; SIGTERM takes the way of Ctrl-C. */
@Timeout(300)
final class DemoSignalIT {

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"Starting Kafka", "RUNNING"})
  void leaves_no_process_and_no_file(String moment) throws Exception {
    Path temporary = Files.createDirectory(directory.resolve("tmp"));
    Path err = directory.resolve("err");
    Process demo =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-Djava.io.tmpdir=" + temporary,
                "-cp",
                System.getProperty("java.class.path"),
                Demo.class.getName(),
                "--keep-running",
                "--home=" + Path.of("").toAbsolutePath())
            .redirectErrorStream(true)
            .redirectOutput(err.toFile())
            .start();
    try {
      await()
          .atMost(Duration.ofMinutes(3))
          .until(() -> Files.readString(err).contains(moment) && demo.descendants().count() > 1);
      List<ProcessHandle> children = demo.descendants().toList();

      demo.destroy();

      assertThat(demo.waitFor(60, TimeUnit.SECONDS)).isTrue();
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
      assertThat(temporary).isEmptyDirectory();
    } finally {
      demo.destroyForcibly();
    }
  }
}
