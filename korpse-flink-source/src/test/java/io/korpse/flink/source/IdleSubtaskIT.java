package io.korpse.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korpse.flink.source.testing.Received;
import io.korpse.flink.source.testing.Values;
import io.korpse.testing.EmbeddedBroker;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** W36: subtasks without a partition do not hold back the watermark. */
@Timeout(180)
final class IdleSubtaskIT {

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(3)
              .build());

  private final String topic = "topic-" + UUID.randomUUID();
  private final Received<String> records = new Received<>();
  private final Received<String> windows = new Received<>();
  private EmbeddedBroker broker;
  private JobClient job;

  @BeforeEach
  void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterEach
  void stop() {
    if (job != null) {
      job.cancel().orTimeout(60, TimeUnit.SECONDS).join();
    }
    broker.close();
  }

  @Test
  void windows_close_although_two_of_three_subtasks_have_nothing_to_read() throws Exception {
    broker.createTopic(topic, 1);
    Values.write(broker, topic, 0, 0, 1_000);
    run(source().setTopics(topic).build());

    // The last window is open: nothing is later than its records.
    await().atMost(EmbeddedBroker.patience()).until(() -> windows.values().size() >= 9);
    assertThat(windows.values()).hasSize(9);
  }

  @Test
  void windows_close_although_the_partition_of_a_subtask_is_gone() throws Exception {
    broker.createTopic(topic, 1);
    broker.createTopic(topic + "-2", 1);
    Values.write(broker, topic, 0, 0, 10);
    run(
        source()
            .setTopics(topic, topic + "-2")
            .setDiscoveryInterval(Duration.ofMillis(500))
            .setOnTopicRemoved(TopicRemovalPolicy.CONTINUE)
            .build());
    await().atMost(EmbeddedBroker.patience()).until(() -> records.values().size() == 10);
    try (Admin admin = broker.admin()) {
      admin.deleteTopics(List.of(topic)).all().get(30, TimeUnit.SECONDS);
    }
    Values.write(broker, topic + "-2", 0, 0, 1_000);

    await().atMost(EmbeddedBroker.patience()).until(() -> windows.values().size() >= 9);
  }

  private void run(KorpseSource<String> source) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.setParallelism(3);
    DataStream<String> stream =
        env.fromSource(source, WatermarkStrategy.forMonotonousTimestamps(), "source");
    records.collect(stream);
    DataStream<String> last =
        stream
            .windowAll(TumblingEventTimeWindows.of(Duration.ofMillis(100)))
            .reduce((one, other) -> other);
    windows.collect(last);
    job = env.executeAsync();
  }

  private KorpseSourceBuilder<String> source() {
    return KorpseSource.<String>builder()
        .setBootstrapServers(broker.bootstrapServers())
        .setValueOnlyDeserializer(new SimpleStringSchema());
  }
}
