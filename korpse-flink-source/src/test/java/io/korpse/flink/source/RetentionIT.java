package io.korpse.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.testing.RunningJob;
import io.korpse.flink.source.testing.Values;
import io.korpse.offsets.DataLossPolicy;
import io.korpse.testing.EmbeddedBroker;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.ExceptionUtils;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A restore to an offset that retention has removed, with a start policy that would hide it. */
@Timeout(180)
final class RetentionIT {

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(1)
              .build());

  private static EmbeddedBroker broker;

  @TempDir private Path savepoints;

  private final String topic = "topic-" + UUID.randomUUID();
  private String savepoint;

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  /** The job has read 50 records when it stops; of the next 50 the first 30 go away. */
  @BeforeEach
  void readAndRemove() throws Exception {
    broker.createTopic(topic, 1);
    Values.write(broker, topic, 0, 0, 50);
    try (RunningJob<String> job = RunningJob.start(source().build(), 1, null)) {
      job.awaitCount(50);
      savepoint = job.stop(savepoints);
    }
    Values.write(broker, topic, 0, 50, 100);
    try (Admin admin = broker.admin()) {
      admin
          .deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(80)))
          .all()
          .get(30, TimeUnit.SECONDS);
    }
  }

  /** W12. */
  @Test
  void fails_by_default_and_says_what_is_gone() throws Exception {
    try (RunningJob<String> job = RunningJob.start(source().build(), 1, savepoint)) {
      assertThatThrownBy(job::awaitEnd)
          .satisfies(
              error ->
                  assertThat(ExceptionUtils.stringifyException(error))
                      .contains("Data loss on " + topic + "-0", "offset 50", "80 to 100")
                      .contains("retention removed 30 records"));
    }
  }

  @Test
  void goes_on_at_the_log_start_when_told_so() throws Exception {
    List<String> rest = Values.of(topic, 0, 80, 100);
    KorpseSource<String> tolerant = source().setOnDataLoss(DataLossPolicy.EARLIEST).build();
    try (RunningJob<String> job = RunningJob.start(tolerant, 1, savepoint)) {
      assertThat(job.awaitCount(20)).isEqualTo(rest);
    }
  }

  @Test
  void goes_on_at_the_log_end_when_told_so() throws Exception {
    KorpseSource<String> tolerant =
        source()
            .setBounded(OffsetsInitializer.latest())
            .setOnDataLoss(DataLossPolicy.LATEST)
            .build();
    try (RunningJob<String> job = RunningJob.start(tolerant, 1, savepoint)) {
      job.awaitEnd();
      assertThat(job.values()).isEmpty();
    }
  }

  private KorpseSourceBuilder<String> source() {
    return KorpseSource.<String>builder()
        .setBootstrapServers(broker.bootstrapServers())
        .setTopics(topic)
        .setStartingOffsets(OffsetsInitializer.earliest())
        .setValueOnlyDeserializer(new SimpleStringSchema());
  }
}
