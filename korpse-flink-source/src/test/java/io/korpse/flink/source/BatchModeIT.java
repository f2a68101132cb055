package io.korpse.flink.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.testing.BatchJob;
import io.korpse.flink.source.testing.Commits;
import io.korpse.flink.source.testing.Values;
import io.korpse.testing.EmbeddedBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A batch job, which has no checkpoints. */
@Timeout(180)
final class BatchModeIT {

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(3)
              .build());

  private static EmbeddedBroker broker;

  private final String topic = "topic-" + UUID.randomUUID();
  private final String group = "group-" + UUID.randomUUID();

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @Test
  void a_task_that_failed_reads_its_splits_again_and_positions_are_committed_at_the_end()
      throws Exception {
    broker.createTopic(topic, 2);
    List<String> expected = new ArrayList<>(Values.write(broker, topic, 0, 0, 100));
    expected.addAll(Values.write(broker, topic, 1, 0, 80));
    KorpseSource<String> source =
        KorpseSource.<String>builder()
            .setBootstrapServers(broker.bootstrapServers())
            .setTopics(topic)
            .setGroupId(group)
            .setCommitMode(CommitMode.ON_CHECKPOINT_OR_END)
            .setStartingOffsets(OffsetsInitializer.earliest())
            .setBounded(OffsetsInitializer.latest())
            .setValueOnlyDeserializer(new SimpleStringSchema())
            .build();
    Configuration configuration = new Configuration();
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 1);
    configuration.set(
        RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(100));

    List<String> received =
        BatchJob.run(
            source,
            configuration,
            () -> {
              throw new IllegalStateException("The first attempt fails");
            });

    assertThat(received).containsExactlyInAnyOrderElementsOf(expected);
    new Commits(broker, group).await(topic, Map.of(0, 100L, 1, 80L));
  }
}
