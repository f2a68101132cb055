package io.korpse.flink.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.testing.Received;
import io.korpse.flink.source.testing.Values;
import io.korpse.testing.EmbeddedBroker;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Timestamps, and watermarks per partition. Their alignment is in {@link AlignmentIT}. */
@Timeout(180)
final class WatermarksIT {

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(3)
              .build());

  private static EmbeddedBroker broker;

  private final String topic = "topic-" + UUID.randomUUID();
  private final Received<String> received = new Received<>();

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @BeforeEach
  void writeAnOldAndANewPartition() {
    broker.createTopic(topic, 2);
    Values.write(broker, topic, 0, 0, 500);
    Values.write(broker, topic, 1, 10_000, 10_500);
  }

  @Test
  void no_record_is_late_since_each_partition_has_its_watermark() throws Exception {
    StreamExecutionEnvironment env = environment();

    assertThat(
            late(env, env.fromSource(source(), WatermarkStrategy.forMonotonousTimestamps(), "s")))
        .isEmpty();
  }

  @Test
  void with_one_watermark_for_both_the_old_partition_is_late() throws Exception {
    StreamExecutionEnvironment env = environment();
    DataStream<String> merged =
        env.fromSource(source(), WatermarkStrategy.noWatermarks(), "s")
            .assignTimestampsAndWatermarks(WatermarkStrategy.forMonotonousTimestamps());

    assertThat(late(env, merged)).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void each_record_carries_kafkas_timestamp(boolean objectReuse) throws Exception {
    StreamExecutionEnvironment env = environment();
    if (objectReuse) {
      env.getConfig().enableObjectReuse();
    }
    received.collect(
        env.fromSource(source(), WatermarkStrategy.noWatermarks(), "s").process(new Stamps()));
    env.execute();

    // The numbers of the values are their timestamps.
    List<String> expected = new ArrayList<>();
    Values.of(topic, 0, 0, 500).forEach(value -> expected.add(stamped(value)));
    Values.of(topic, 1, 10_000, 10_500).forEach(value -> expected.add(stamped(value)));
    assertThat(received.values()).containsExactlyInAnyOrderElementsOf(expected);
  }

  private static String stamped(String value) {
    return value + "@" + value.substring(value.lastIndexOf('-') + 1);
  }

  private static final class Stamps extends ProcessFunction<String, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public void processElement(String value, Context context, Collector<String> out) {
      out.collect(value + "@" + context.timestamp());
    }
  }

  private List<String> late(StreamExecutionEnvironment env, DataStream<String> stream)
      throws Exception {
    received.collect(stream.process(new LateOnes()));
    env.execute();
    return received.values();
  }

  private static StreamExecutionEnvironment environment() {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.setParallelism(1);
    env.getConfig().setAutoWatermarkInterval(10);
    return env;
  }

  /** Both partitions in turn, for a second, so that there are many watermarks between. */
  private KorpseSource<String> source() {
    return KorpseSource.<String>builder()
        .setBootstrapServers(broker.bootstrapServers())
        .setTopics(topic)
        .setOrder(RecordOrder.FAIR)
        .setRateLimit(1_000)
        .setBounded(OffsetsInitializer.latest())
        .setValueOnlyDeserializer(new SimpleStringSchema())
        .build();
  }

  private static final class LateOnes extends ProcessFunction<String, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public void processElement(String value, Context context, Collector<String> out) {
      if (context.timestamp() <= context.timerService().currentWatermark()) {
        out.collect(value);
      }
    }
  }
}
