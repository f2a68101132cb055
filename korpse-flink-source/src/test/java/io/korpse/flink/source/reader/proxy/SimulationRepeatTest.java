package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A seed that is found in one JVM has to show the same in any other, or it cannot be looked at. Two
 * things differ between JVMs: identity hashes, and the order of immutable sets and maps.
 */
class SimulationRepeatTest {

  private static final int SEEDS = 40;

  @Test
  @Timeout(120)
  void repeats_every_run_exactly_in_another_jvm() throws Exception {
    Process one = start("-XX:hashCode=2");
    Process other = start("-XX:hashCode=3");
    try {
      List<String> runs = lines(one);
      assertThat(runs).hasSize(SEEDS);
      assertThat(lines(other)).isEqualTo(runs);
      assertThat(one.waitFor()).isZero();
      assertThat(other.waitFor()).isZero();
    } finally {
      one.destroyForcibly();
      other.destroyForcibly();
    }
  }

  private static Process start(String identityHash) throws IOException {
    ProcessBuilder child =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UnlockExperimentalVMOptions",
            identityHash,
            "-cp",
            System.getProperty("java.class.path"),
            SimRuns.class.getName(),
            "1",
            Integer.toString(SEEDS + 1));
    return child.redirectError(ProcessBuilder.Redirect.DISCARD).start();
  }

  private static List<String> lines(Process child) throws IOException {
    try (var out = child.inputReader(StandardCharsets.UTF_8)) {
      return out.lines().toList();
    }
  }
}
