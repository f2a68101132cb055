package io.korpse.flink.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.testing.EmbeddedBroker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class FlightDelaysJobIT {

  @RegisterExtension
  private static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(2)
              .build());

  private static EmbeddedBroker broker;

  @TempDir private Path out;

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @Test
  void counts_each_of_20_000_flights_once_by_origin_and_day() throws Exception {
    broker.createTopic("flights", 8);
    FlightLoader.load(
        broker.bootstrapServers(), FlightLoader.read(ExpectedDelays.DATA, "flights"), 0);

    CapturedRun run = run("flights", "--bounded", "--checkpoint-interval=500");

    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    assertThat(Csv.rows(out))
        .hasSize(6_901)
        .anyMatch(row -> row.startsWith("2001-03-09,DFW,21,"))
        .isEqualTo(ExpectedDelays.rows());
  }

  @Test
  void a_missing_topic_ends_with_1_and_is_named() {
    CapturedRun run = run("nowhere", "--bounded");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .startsWith(
            "flight-delays: Kafka at " + broker.bootstrapServers() + " has no topic nowhere");
  }

  @Test
  void a_value_that_is_not_json_fails_the_job_and_names_its_place() throws Exception {
    broker.createTopic("mixed", 1);
    produce("mixed", flight("DFW", 7), "this is not JSON", flight("DFW", 9));

    CapturedRun run = run("mixed", "--bounded");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("offset 1 of mixed-0");
    assertThat(Csv.rows(out)).isEmpty();
  }

  @Test
  void a_value_that_is_not_json_is_skipped_when_asked() throws Exception {
    broker.createTopic("skipped", 1);
    produce("skipped", flight("DFW", 7), "this is not JSON", flight("DFW", 9));

    CapturedRun run = run("skipped", "--bounded", "--on-bad-record=skip");

    assertThat(run.exitCode()).isZero();
    assertThat(Csv.rows(out)).containsExactly("2001-03-09,DFW,2,8.0000");
  }

  @Test
  void commits_what_it_has_read_to_its_group() throws Exception {
    broker.createTopic("committed", 2);
    produce("committed", flight("DFW", 1), flight("ATL", 2), flight("ORD", 3));

    CapturedRun run = run("committed", "--bounded", "--group=delays", "--checkpoint-interval=200");

    assertThat(run.exitCode()).isZero();
    try (Admin admin = broker.admin()) {
      Map<TopicPartition, OffsetAndMetadata> offsets =
          admin.listConsumerGroupOffsets("delays").partitionsToOffsetAndMetadata().get();
      assertThat(offsets.values().stream().mapToLong(OffsetAndMetadata::offset).sum()).isEqualTo(3);
    }
  }

  private CapturedRun run(String topic, String... options) {
    List<String> arguments = new ArrayList<>(List.of(options));
    arguments.add("--bootstrap-server=" + broker.bootstrapServers());
    arguments.add("--topic=" + topic);
    arguments.add("--out=" + out);
    return CapturedRun.of(
        () -> JobMain.runAlone(new FlightDelaysJob(), arguments.toArray(String[]::new)));
  }

  private static String flight(String origin, int delay) {
    return "{\"delay\":" + delay + ",\"origin\":\"" + origin + "\"}";
  }

  private static void produce(String topic, String... values) throws Exception {
    long noon = 984_139_200_000L;
    try (KafkaProducer<byte[], byte[]> producer = broker.producer(Map.of())) {
      for (String value : values) {
        producer.send(new ProducerRecord<>(topic, null, noon, null, value.getBytes(UTF_8))).get();
      }
    }
  }
}
