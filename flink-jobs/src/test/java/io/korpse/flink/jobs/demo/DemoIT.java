package io.korpse.flink.jobs.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.korpse.flink.jobs.CapturedRun;
import io.korpse.flink.jobs.Csv;
import io.korpse.flink.jobs.ExpectedDelays;
import io.korpse.testing.EmbeddedBroker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class DemoIT {

  @TempDir private Path directory;

  @Test
  void the_result_is_the_same_when_the_taskmanager_is_killed_halfway() throws Exception {
    Path json = directory.resolve("summary.json");
    Path out = directory.resolve("out");

    CapturedRun run = demo("--fail-once", "--json=" + json, "--out=" + out);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.err()).contains("Killing taskmanager-1");
    JsonNode summary = new ObjectMapper().readTree(json.toFile());
    assertThat(summary.path("records").asLong()).isEqualTo(20_000);
    assertThat(summary.path("windows").asLong()).isEqualTo(6_901);
    assertThat(summary.path("lag").asLong(-1)).isZero();
    assertThat(summary.path("restarts").asLong()).isPositive();
    assertThat(summary.path("seconds").asDouble()).isPositive();
    assertThat(summary.path("partitions")).hasSize(8);
    long committed = 0;
    for (JsonNode partition : summary.path("partitions")) {
      assertThat(partition.path("topic").asText()).isEqualTo("flights");
      assertThat(partition.path("committed")).isEqualTo(partition.path("end"));
      assertThat(partition.path("lag").asLong(-1)).isZero();
      committed += partition.path("committed").asLong();
    }
    assertThat(committed).isEqualTo(20_000);
    assertThat(Csv.rows(out)).isEqualTo(ExpectedDelays.rows());
    try (Stream<Path> files = Files.list(out)) {
      assertThat(files).allMatch(file -> file.getFileName().toString().endsWith(".csv"));
    }
    assertThat(leftDirectories()).isEmpty();
  }

  @Test
  void on_another_kafka_it_takes_away_what_it_created() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start()) {
      CapturedRun run = demo("--rate=0", "--bootstrap-server=" + broker.bootstrapServers());

      assertThat(run.exitCode()).as(run.err()).isZero();
      try (Admin admin = broker.admin()) {
        assertThat(admin.listTopics().names().get()).doesNotContain("flights");
        assertThat(admin.listGroups().all().get()).isEmpty();
      }
    }
    assertThat(leftDirectories()).isEmpty();
  }

  @Test
  void a_broker_that_cannot_be_reached_is_named() {
    CapturedRun run = demo("--bootstrap-server=localhost:1");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).startsWith("demo: No Kafka broker answers at localhost:1");
  }

  @Test
  void a_port_that_is_taken_is_named() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CapturedRun run = demo("--port=" + taken.getLocalPort());

      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.err()).startsWith("demo: Port " + taken.getLocalPort() + " is taken");
    }
  }

  @Test
  void a_wrong_option_ends_with_2() {
    assertThat(demo("--port=http").exitCode()).isEqualTo(2);
    assertThat(demo("--port=70000").exitCode()).isEqualTo(2);
    assertThat(demo("--rate=-1").exitCode()).isEqualTo(2);
    assertThat(demo("--no-such-option").exitCode()).isEqualTo(2);
  }

  @Test
  void does_not_write_among_the_files_of_others() throws IOException {
    Path foreign = Files.writeString(directory.resolve("letter.txt"), "keep me");

    CapturedRun run = demo("--out=" + directory);

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("letter.txt");
    assertThat(foreign).hasContent("keep me");
  }

  private static CapturedRun demo(String... options) {
    List<String> arguments = new ArrayList<>(List.of(options));
    arguments.add("--home=" + Path.of("").toAbsolutePath());
    return CapturedRun.of(() -> Demo.execute(arguments.toArray(String[]::new)));
  }

  private static List<Path> leftDirectories() throws IOException {
    try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("korpse-demo-"))
          .toList();
    }
  }
}
