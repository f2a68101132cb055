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
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Jobs whose readers have several consumers, on a real broker and a real Flink. */
@Timeout(180)
final class ConsumersIT {

  private static final int PARTITIONS = 5;

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

  /** Nothing of how splits are spread is in the state. */
  @Test
  void a_savepoint_is_restored_with_another_number_of_consumers() throws Exception {
    broker.createTopic(topic, PARTITIONS);
    String savepoint = null;
    int from = 0;
    for (int consumers : new int[] {2, 3, 1, 2}) {
      List<String> expected = new ArrayList<>();
      for (int p = 0; p < PARTITIONS; p++) {
        expected.addAll(Values.write(broker, topic, p, from, from + 100));
      }
      from += 100;
      try (RunningJob<String> job =
          RunningJob.start(source(consumers).build(), consumers == 3 ? 2 : 1, savepoint)) {
        assertThat(job.awaitCount(expected.size())).containsExactlyInAnyOrderElementsOf(expected);
        savepoint = job.stop(savepoints);
      }
    }
  }

  @Test
  void a_bounded_job_ends_also_with_more_consumers_than_splits() throws Exception {
    broker.createTopic(topic, PARTITIONS);
    List<String> expected = new ArrayList<>();
    for (int p = 0; p < PARTITIONS - 1; p++) {
      expected.addAll(Values.write(broker, topic, p, 0, 200 * p));
    }

    try (RunningJob<String> job =
        RunningJob.start(source(4).setBounded(OffsetsInitializer.latest()).build(), 2, null)) {
      job.awaitEnd();

      assertThat(job.values()).containsExactlyInAnyOrderElementsOf(expected);
    }
  }

  @Test
  void splits_that_end_by_a_record_end_wherever_they_are_read() throws Exception {
    broker.createTopic(topic, PARTITIONS);
    List<String> expected = new ArrayList<>();
    for (int p = 0; p < PARTITIONS; p++) {
      expected.addAll(Values.write(broker, topic, p, 0, 200).subList(0, 150));
    }

    try (RunningJob<String> job =
        RunningJob.start(
            source(2)
                .setDiscoveryInterval(Duration.ZERO)
                .setEofRecordEvaluator(value -> value.endsWith("-150"))
                .build(),
            1,
            null)) {
      job.awaitEnd();

      assertThat(job.values()).containsExactlyInAnyOrderElementsOf(expected);
    }
  }

  private KorpseSourceBuilder<String> source(int consumers) {
    return KorpseSource.<String>builder()
        .setBootstrapServers(broker.bootstrapServers())
        .setTopics(topic)
        .setStartingOffsets(OffsetsInitializer.earliest())
        .setReaderConsumers(consumers)
        .setValueOnlyDeserializer(new SimpleStringSchema());
  }
}
