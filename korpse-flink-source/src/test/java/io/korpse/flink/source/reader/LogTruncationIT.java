package io.korpse.flink.source.reader;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.SourceSettings;
import io.korpse.flink.source.deserializer.KafkaRecordDeserializationSchema;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.flink.source.testing.Commits;
import io.korpse.offsets.DataLossPolicy;
import io.korpse.offsets.Position;
import io.korpse.testing.EmbeddedBroker;
import io.korpse.testing.Sender;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.core.io.InputStatus;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Logs that lost their end, on real brokers that elect a leader without all the records. */
@Timeout(180)
final class LogTruncationIT {

  private static final String TOPIC = "truncated";
  private static final String GROUP = "truncation-it";

  private final EmbeddedBroker brokers =
      EmbeddedBroker.start(
          2, Map.of("unclean.leader.election.enable", "true", "min.insync.replicas", "1"));
  private final List<Reading> readings = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    for (Reading reading : readings) {
      reading.reader.close();
    }
    brokers.close();
  }

  /** W20. */
  @Test
  void a_truncation_is_found_by_the_leader_epoch_while_reading_and_after_a_restore()
      throws Exception {
    createTopic();
    send("kept", 10);
    brokers.cluster().brokers().get(1).shutdown();
    awaitLeader(0);
    send("lost", 10);
    Reading strict = read(DataLossPolicy.FAIL, Position.of(0));
    Reading lenient = read(DataLossPolicy.EARLIEST, Position.of(0));
    strict.pollUntil(() -> strict.elements().size() == 20);
    lenient.pollUntil(() -> lenient.elements().size() == 20);
    lenient.reader.snapshotState(1);
    Position saved = strict.reader.snapshotState(1).get(0).position();
    assertThat(saved.offset()).isEqualTo(20);
    assertThat(saved.epoch()).isPresent();

    brokers.cluster().brokers().get(0).shutdown();
    brokers.cluster().brokers().get(1).startup();
    awaitLeader(1);
    // As many again, so that the offset to be read next exists and only the epoch tells.
    send("new", 15);

    lenient.pollUntil(() -> lenient.elements().size() == 35);
    assertThat(lenient.elements().subList(20, 35)).allMatch(value -> value.startsWith("new"));
    assertThat(lenient.reader.snapshotState(2).get(0).position().offset()).isEqualTo(25);
    // What the first checkpoint holds is beyond the log now.
    lenient.reader.notifyCheckpointComplete(1);
    lenient.reader.notifyCheckpointComplete(2);
    new Commits(brokers, GROUP).await(new TopicPartition(TOPIC, 0), 25);

    assertTellsOfTruncation(strict);
    assertTellsOfTruncation(read(DataLossPolicy.FAIL, saved));
  }

  /** As after a restore of the cluster from a copy, or a commit by somebody else. */
  @Test
  void an_epoch_that_the_partition_never_had_does_not_stall_it() throws Exception {
    createTopic();
    send("first", 10);
    Position foreign = new Position(5, 50);

    assertThatThrownBy(() -> read(DataLossPolicy.FAIL, foreign).pollUntil(() -> false))
        .hasStackTraceContaining("Data loss on " + TOPIC + "-0");

    Reading lenient = read(DataLossPolicy.EARLIEST, foreign);
    lenient.pollUntil(() -> lenient.elements().size() == 5);
    send("second", 5);
    lenient.pollUntil(() -> lenient.elements().size() == 10);
    assertThat(lenient.reader.snapshotState(1).get(0).position().offset()).isEqualTo(15);
  }

  /**
   * A bounded job has found its stop at 20 when ten of the records go. What is left is more than
   * what was read, so that no offset is refused and Kafka tells nothing.
   */
  @Test
  void a_bounded_split_whose_log_was_cut_below_its_stop_ends_there_or_fails() throws Exception {
    createTopic();
    send("kept", 10);
    brokers.cluster().brokers().get(1).shutdown();
    awaitLeader(0);
    send("lost", 10);
    brokers.cluster().brokers().get(0).shutdown();
    brokers.cluster().brokers().get(1).startup();
    awaitLeader(1);
    KorpseSplit bounded =
        new KorpseSplit(new TopicPartition(TOPIC, 0), Position.of(5), 20, Uuid.ZERO_UUID, false)
            .withStopSeen(true);

    Reading lenient = read(DataLossPolicy.LATEST, bounded);
    lenient.pollUntil(() -> lenient.output.released.contains(bounded.splitId()));
    assertThat(lenient.elements()).hasSize(5).allMatch(value -> value.startsWith("kept"));

    Reading strict = read(DataLossPolicy.FAIL, bounded);
    assertThatThrownBy(() -> strict.pollUntil(() -> false))
        .hasStackTraceContaining("Data loss on " + TOPIC + "-0")
        .hasStackTraceContaining("up to offset 20")
        .hasStackTraceContaining("ends at 10")
        .hasStackTraceContaining("onDataLoss");
    assertThat(strict.elements()).hasSize(5);
  }

  private static void assertTellsOfTruncation(Reading reading) {
    assertThatThrownBy(() -> reading.pollUntil(() -> false))
        .hasStackTraceContaining("Data loss on " + TOPIC + "-0: offset 20 was to be read next")
        .hasStackTraceContaining("diverged at 10")
        .hasStackTraceContaining("onDataLoss");
  }

  private void createTopic() throws Exception {
    try (Admin admin = brokers.admin()) {
      admin
          .createTopics(
              List.of(
                  new NewTopic(TOPIC, Map.of(0, List.of(0, 1)))
                      .configs(Map.of("retention.ms", "-1"))))
          .all()
          .get(30, TimeUnit.SECONDS);
    }
    awaitLeader(0);
  }

  private void awaitLeader(int broker) {
    try (Admin admin = brokers.admin()) {
      await()
          .atMost(EmbeddedBroker.patience())
          .ignoreExceptions()
          .until(
              () ->
                  Optional.ofNullable(
                          admin
                              .describeTopics(List.of(TOPIC))
                              .allTopicNames()
                              .get()
                              .get(TOPIC)
                              .partitions()
                              .get(0)
                              .leader())
                      .map(Node::id)
                      .equals(Optional.of(broker)));
    }
  }

  private void send(String prefix, int count) {
    try (Sender sender = new Sender(brokers, Map.of())) {
      for (int i = 0; i < count; i++) {
        sender.send(TOPIC, 0, null, (prefix + i).getBytes(UTF_8));
      }
    }
  }

  private Reading read(DataLossPolicy policy, Position start) throws Exception {
    return read(
        policy,
        new KorpseSplit(
            new TopicPartition(TOPIC, 0),
            start,
            KorpseSplit.NO_STOP_OFFSET,
            Uuid.ZERO_UUID,
            false));
  }

  private Reading read(DataLossPolicy policy, KorpseSplit split) throws Exception {
    SourceSettings settings =
        SourceSettings.defaults(brokers.bootstrapServers())
            .withKafka("group.id", GROUP)
            .with(KorpseSourceOptions.ON_DATA_LOSS, policy);
    SourceReader<String, KorpseSplit> reader =
        KorpseReaders.create(
            new FakeReaderContext(),
            KafkaRecordDeserializationSchema.valueOnly(new SimpleStringSchema()),
            settings);
    Reading reading = new Reading(reader, new CollectingOutput<>());
    readings.add(reading);
    reader.start();
    reader.addSplits(List.of(split));
    return reading;
  }

  /** A reader with the test as its task thread, and what it has emitted. */
  private record Reading(
      SourceReader<String, KorpseSplit> reader, CollectingOutput<String> output) {

    List<String> elements() {
      return output.elements;
    }

    void pollUntil(BooleanSupplier done) throws Exception {
      while (!done.getAsBoolean()) {
        if (reader.pollNext(output) == InputStatus.NOTHING_AVAILABLE) {
          await()
              .atMost(EmbeddedBroker.patience())
              .pollInterval(1, TimeUnit.MILLISECONDS)
              .until(() -> reader.isAvailable().isDone() || done.getAsBoolean());
        }
      }
    }
  }
}
