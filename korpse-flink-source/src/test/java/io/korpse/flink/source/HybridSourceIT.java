package io.korpse.flink.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.testing.RunningJob;
import io.korpse.flink.source.testing.Values;
import io.korpse.testing.EmbeddedBroker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.base.source.hybrid.HybridSource;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** First a bounded Korpse to the end of a topic, then an unbounded one on another. */
@Timeout(180)
final class HybridSourceIT {

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(2)
              .build());

  private static EmbeddedBroker broker;

  @TempDir private Path savepoints;

  private final String history = "history-" + UUID.randomUUID();
  private final String live = "live-" + UUID.randomUUID();

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @Test
  void switches_and_goes_on_after_a_savepoint_in_either_part() throws Exception {
    broker.createTopic(history, 3);
    broker.createTopic(live, 2);
    List<String> old = new ArrayList<>();
    for (int partition = 0; partition < 2; partition++) {
      old.addAll(Values.write(broker, history, partition, 0, 150));
    }
    List<String> read = new ArrayList<>();

    String inHistory;
    try (RunningJob<String> job = RunningJob.start(source(100), Types.STRING, 2, null)) {
      job.awaitCount(20);
      inHistory = job.stop(savepoints);
      read.addAll(job.values());
    }
    assertThat(read).hasSizeBetween(20, 299);

    List<String> recent = Values.write(broker, live, 0, 0, 100);
    String inLive;
    try (RunningJob<String> job = RunningJob.start(source(10_000), Types.STRING, 2, inHistory)) {
      job.awaitCount(300 - read.size() + 100);
      inLive = job.stop(savepoints);
      read.addAll(job.values());
    }
    List<String> expected = new ArrayList<>(old);
    expected.addAll(recent);
    assertThat(read).containsExactlyInAnyOrderElementsOf(expected);

    List<String> newest = Values.write(broker, live, 1, 0, 50);
    try (RunningJob<String> job = RunningJob.start(source(10_000), Types.STRING, 2, inLive)) {
      assertThat(job.awaitCount(50)).containsExactlyInAnyOrderElementsOf(newest);
    }
  }

  private Source<String, ?, ?> source(double rate) {
    return HybridSource.builder(
            builder(history).setBounded(OffsetsInitializer.latest()).setRateLimit(rate).build())
        .addSource(builder(live).build())
        .build();
  }

  private static KorpseSourceBuilder<String> builder(String topic) {
    return KorpseSource.<String>builder()
        .setBootstrapServers(broker.bootstrapServers())
        .setTopics(topic)
        .setValueOnlyDeserializer(new SimpleStringSchema());
  }
}
