package io.korpse.flink.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.testing.RunningJob;
import io.korpse.flink.source.testing.Values;
import io.korpse.testing.EmbeddedBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.connector.base.source.reader.RecordEvaluator;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** W11: splits that end by one of their records, beside others that go on. */
@Timeout(180)
final class EndOfStreamIT {

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(2)
              .build());

  private static EmbeddedBroker broker;

  @TempDir private Path savepoints;

  private final String topic = "topic-" + UUID.randomUUID();

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @BeforeEach
  void createTopic() {
    broker.createTopic(topic, 2);
  }

  @Test
  void a_split_that_has_ended_stays_ended_after_a_restore_while_the_other_goes_on()
      throws Exception {
    String last = Values.of(topic, 0, 10, 11).get(0);
    Values.write(broker, topic, 0, 0, 20);
    Values.write(broker, topic, 1, 0, 50);
    List<String> expected = new ArrayList<>(Values.of(topic, 0, 0, 10));
    expected.addAll(Values.of(topic, 1, 0, 50));

    String savepoint;
    try (RunningJob<String> job = RunningJob.start(source(last::equals).build(), 1, null)) {
      assertThat(job.awaitCount(60)).containsExactlyInAnyOrderElementsOf(expected);
      savepoint = job.stop(savepoints);
    }
    Values.write(broker, topic, 0, 20, 30);
    List<String> more = Values.write(broker, topic, 1, 50, 70);

    try (RunningJob<String> job = RunningJob.start(source(last::equals).build(), 1, savepoint)) {
      assertThat(job.awaitCount(20)).isEqualTo(more);
      // What would come wrongly would have come with the next records of the other split.
      more.addAll(Values.write(broker, topic, 1, 70, 80));
      assertThat(job.awaitCount(30)).isEqualTo(more);
    }
  }

  @Test
  void a_job_ends_when_all_its_splits_have_ended_by_a_record() throws Exception {
    Values.write(broker, topic, 0, 0, 20);
    Values.write(broker, topic, 1, 0, 20);

    // The end record is the first that is buffered, the last that is, or comes later.
    try (RunningJob<String> job =
        RunningJob.start(
            source(value -> value.endsWith("-0-19") || value.endsWith("-1-25"))
                .setDiscoveryInterval(Duration.ZERO)
                .build(),
            2,
            null)) {
      job.awaitCount(39);
      Values.write(broker, topic, 1, 20, 30);
      job.awaitEnd();

      List<String> expected = new ArrayList<>(Values.of(topic, 0, 0, 19));
      expected.addAll(Values.of(topic, 1, 0, 25));
      assertThat(job.values()).containsExactlyInAnyOrderElementsOf(expected);
    }
  }

  @Test
  void the_last_record_before_the_stop_may_end_the_split() throws Exception {
    Values.write(broker, topic, 0, 0, 20);
    Values.write(broker, topic, 1, 0, 20);

    try (RunningJob<String> job =
        RunningJob.start(
            source(value -> value.endsWith("-19")).setBounded(OffsetsInitializer.latest()).build(),
            1,
            null)) {
      job.awaitEnd();
      assertThat(job.values()).hasSize(38);
    }
  }

  private KorpseSourceBuilder<String> source(RecordEvaluator<String> end) {
    return KorpseSource.<String>builder()
        .setBootstrapServers(broker.bootstrapServers())
        .setTopics(topic)
        .setEofRecordEvaluator(end)
        .setValueOnlyDeserializer(new SimpleStringSchema());
  }
}
