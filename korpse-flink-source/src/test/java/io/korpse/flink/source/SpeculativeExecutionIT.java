package io.korpse.flink.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.testing.BatchJob;
import io.korpse.flink.source.testing.Values;
import io.korpse.testing.EmbeddedBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.configuration.BatchExecutionOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.SlowTaskDetectorOptions;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A batch job in which Flink starts a second attempt of a reader that is slow. */
@Timeout(180)
final class SpeculativeExecutionIT {

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(5)
              .setConfiguration(speculative())
              .build());

  private static EmbeddedBroker broker;

  private final String topic = "topic-" + UUID.randomUUID();

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @Test
  void what_a_second_attempt_reads_takes_the_place_of_what_the_slow_one_read() throws Exception {
    broker.createTopic(topic, 2);
    List<String> expected = new ArrayList<>(Values.write(broker, topic, 0, 0, 100));
    expected.addAll(Values.write(broker, topic, 1, 0, 100));
    KorpseSource<String> source =
        KorpseSource.<String>builder()
            .setBootstrapServers(broker.bootstrapServers())
            .setTopics(topic)
            .setStartingOffsets(OffsetsInitializer.earliest())
            .setBounded(OffsetsInitializer.latest())
            .setValueOnlyDeserializer(new SimpleStringSchema())
            .build();

    // It never gets through, and ends when it is cancelled.
    List<String> received =
        BatchJob.run(source, speculative(), () -> new CountDownLatch(1).await());

    assertThat(received).containsExactlyInAnyOrderElementsOf(expected);
  }

  private static Configuration speculative() {
    Configuration configuration = new Configuration();
    configuration.set(BatchExecutionOptions.SPECULATIVE_ENABLED, true);
    configuration.set(BatchExecutionOptions.BLOCK_SLOW_NODE_DURATION, Duration.ZERO);
    configuration.set(SlowTaskDetectorOptions.CHECK_INTERVAL, Duration.ofMillis(200));
    configuration.set(
        SlowTaskDetectorOptions.EXECUTION_TIME_BASELINE_LOWER_BOUND, Duration.ofSeconds(1));
    configuration.set(SlowTaskDetectorOptions.EXECUTION_TIME_BASELINE_RATIO, 0.5);
    configuration.set(SlowTaskDetectorOptions.EXECUTION_TIME_BASELINE_MULTIPLIER, 1.0);
    return configuration;
  }
}
