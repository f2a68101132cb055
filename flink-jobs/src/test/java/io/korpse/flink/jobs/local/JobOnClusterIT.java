package io.korpse.flink.jobs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.jobs.Csv;
import io.korpse.flink.jobs.ExpectedDelays;
import io.korpse.flink.jobs.FlightDelaysJob;
import io.korpse.flink.jobs.FlightLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The job jar on a cluster of separate processes, which have nothing of Kafka or Korpse. */
@Timeout(300)
final class JobOnClusterIT {

  private static final Duration A_WHILE = Duration.ofMinutes(2);

  private static Workspace workspace;
  private static Classpath classpath;
  private static LocalKafka kafka;
  private static FlinkRest flink;
  private static String jar;

  @TempDir private Path out;

  @BeforeAll
  static void startProcesses() {
    workspace = Workspace.create("korpse-test-");
    classpath = Classpath.of(Path.of("target"));
    LocalFlink cluster = LocalFlink.start(workspace, classpath, Ports.free(1).get(0), 1, Map.of());
    kafka = LocalKafka.start(workspace, classpath, 1, Map.of());
    kafka.awaitReady(A_WHILE);
    cluster.awaitSlots(2, A_WHILE);
    flink = cluster.rest();
    jar = flink.upload(classpath.jobJar());
  }

  @AfterAll
  static void endProcesses() {
    workspace.close();
  }

  @Test
  void reads_all_flights_and_shows_its_offsets_to_kafkas_own_tool() throws Exception {
    createTopic("flights", 8);
    FlightLoader.load(
        kafka.bootstrapServers(), FlightLoader.read(ExpectedDelays.DATA, "flights"), 0);

    String job = run("flights", "--group=delays");
    Await.until("all offsets", A_WHILE, () -> committed("delays", "flights") == 20_000);
    flink.stop(job, true, workspace.subdirectory("savepoints").toUri().toString(), A_WHILE);
    Await.until("the end", A_WHILE, () -> flink.state(job).equals("FINISHED"));

    assertThat(Csv.rows(out)).hasSize(6_901).isEqualTo(ExpectedDelays.rows());
    List<String[]> described = describe("delays", "flights");
    assertThat(described).hasSize(8);
    assertThat(described).allSatisfy(columns -> assertThat(columns[5]).isEqualTo("0"));
    assertThat(described.stream().mapToLong(columns -> Long.parseLong(columns[3])).sum())
        .isEqualTo(20_000);
  }

  @Test
  void a_value_that_is_not_json_fails_the_job_at_once_and_names_its_place() throws Exception {
    createTopic("mixed", 1);
    FlightLoader.load(
        kafka.bootstrapServers(),
        List.of(
            new ProducerRecord<>("mixed", "DFW", "{\"origin\":\"DFW\",\"delay\":1}"),
            new ProducerRecord<>("mixed", "DFW", "this is not JSON")),
        0);

    String job = run("mixed");

    Await.until("the failure", A_WHILE, () -> flink.state(job).equals("FAILED"));
    assertThat(flink.failure(job))
        .hasValueSatisfying(message -> assertThat(message).contains("offset 1 of mixed-0"));
  }

  @Test
  void a_missing_topic_is_named() {
    assertThatThrownBy(() -> run("nowhere"))
        .isInstanceOf(FlinkRestException.class)
        .hasMessageContaining("has no topic nowhere");
  }

  @Test
  void a_wrong_option_is_named() {
    assertThatThrownBy(() -> run("flights", "--no-such-option"))
        .isInstanceOf(FlinkRestException.class)
        .hasMessageContaining("--no-such-option");
    assertThat(flink.availableSlots()).isEqualTo(2);
  }

  private String run(String topic, String... options) {
    List<String> arguments = new ArrayList<>(List.of(options));
    arguments.add("--bootstrap-server=" + kafka.bootstrapServers());
    arguments.add("--topic=" + topic);
    arguments.add("--out=" + out.toUri());
    arguments.add("--checkpoint-interval=500");
    return flink.run(jar, FlightDelaysJob.class.getName(), arguments, 2, Optional.empty());
  }

  private static void createTopic(String name, int partitions) throws Exception {
    try (Admin admin = kafka.admin()) {
      Topics.create(
          admin, new NewTopic(name, partitions, (short) 1).configs(Map.of("retention.ms", "-1")));
    }
  }

  private static long committed(String group, String topic) throws Exception {
    try (Admin admin = kafka.admin()) {
      return admin
          .listConsumerGroupOffsets(group)
          .partitionsToOffsetAndMetadata()
          .get()
          .entrySet()
          .stream()
          .filter(entry -> entry.getKey().topic().equals(topic))
          .mapToLong(entry -> entry.getValue().offset())
          .sum();
    }
  }

  /** The columns GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG ... of each partition. */
  private static List<String[]> describe(String group, String topic) {
    ChildProcess tool =
        workspace.start(
            new JavaCommand(
                "consumer-groups",
                classpath.kafka(),
                List.of("-Xmx256m"),
                "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
                List.of(
                    "--bootstrap-server",
                    kafka.bootstrapServers(),
                    "--describe",
                    "--group",
                    group)));
    tool.awaitEnd();
    return tool.tail()
        .lines()
        .map(line -> line.strip().split("\\s+"))
        .filter(columns -> columns.length > 5 && columns[1].equals(topic))
        .toList();
  }
}
