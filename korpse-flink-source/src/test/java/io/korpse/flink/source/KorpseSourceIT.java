package io.korpse.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.testing.Values;
import io.korpse.testing.EmbeddedBroker;
import io.korpse.testing.Sender;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.ExceptionUtils;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.TopicPartition;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bounded jobs on a real broker and a real Flink. */
@Timeout(180)
final class KorpseSourceIT {

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(4)
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

  @ParameterizedTest
  @EnumSource(
      value = RuntimeExecutionMode.class,
      names = {"STREAMING", "BATCH"})
  void reads_all_records_of_all_partitions_in_order(RuntimeExecutionMode mode) throws Exception {
    broker.createTopic(topic, 3);
    broker.createTopic(topic + "-other", 2);
    List<List<String>> written =
        List.of(
            Values.write(broker, topic, 0, 0, 500),
            Values.write(broker, topic, 1, 0, 300),
            Values.write(broker, topic + "-other", 1, 0, 400));

    List<String> read =
        run(bounded(OffsetsInitializer.latest()).setTopics(topic, topic + "-other"), 3, mode);

    assertThat(read).hasSize(1_200);
    for (List<String> partition : written) {
      assertThat(read.stream().filter(partition::contains).toList()).isEqualTo(partition);
    }
  }

  /** W8. */
  @Test
  void ends_with_more_subtasks_than_partitions() throws Exception {
    broker.createTopic(topic, 1);
    List<String> written = Values.write(broker, topic, 0, 0, 100);

    assertThat(run(bounded(OffsetsInitializer.latest()).setTopics(topic), 4)).isEqualTo(written);
  }

  @Test
  void ends_on_an_empty_topic() throws Exception {
    broker.createTopic(topic, 2);

    assertThat(run(bounded(OffsetsInitializer.latest()).setTopics(topic), 2)).isEmpty();
  }

  @Test
  void ends_when_a_pattern_matches_nothing() throws Exception {
    KorpseSourceBuilder<String> nothing =
        bounded(OffsetsInitializer.latest()).setTopicPattern(Pattern.compile("nothing-.*"));

    assertThat(run(nothing, 2)).isEmpty();
  }

  /** W67. */
  @Test
  void reads_single_partitions_between_offsets() throws Exception {
    broker.createTopic(topic, 3);
    Values.write(broker, topic, 0, 0, 50);
    Values.write(broker, topic, 2, 0, 50);
    TopicPartition first = new TopicPartition(topic, 0);
    TopicPartition third = new TopicPartition(topic, 2);
    KorpseSourceBuilder<String> some =
        bounded(OffsetsInitializer.offsets(Map.of(first, 30L, third, 5L)))
            .setPartitions(Set.of(first, third))
            .setStartingOffsets(OffsetsInitializer.offsets(Map.of(first, 20L)));

    List<String> expected = new ArrayList<>(Values.of(topic, 0, 20, 30));
    expected.addAll(Values.of(topic, 2, 0, 5));
    assertThat(run(some, 1)).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void reads_between_timestamps() throws Exception {
    broker.createTopic(topic, 1);
    Values.write(broker, topic, 0, 0, 100);

    List<String> read =
        run(
            bounded(OffsetsInitializer.timestamp(60))
                .setTopics(topic)
                .setStartingOffsets(OffsetsInitializer.timestamp(40)),
            1);

    assertThat(read).isEqualTo(Values.of(topic, 0, 40, 60));
  }

  /** W4: control records at the tail do not keep a bounded source from its end. */
  @Test
  void ends_past_control_records() throws Exception {
    broker.createTopic(topic, 1);
    transaction(true, 0, 10);
    transaction(false, 10, 20);
    transaction(true, 20, 30);
    transaction(false, 30, 40);
    KorpseSourceBuilder<String> committed =
        bounded(OffsetsInitializer.latest())
            .setTopics(topic)
            .setProperty("isolation.level", "read_committed");

    List<String> expected = new ArrayList<>(Values.of(topic, 0, 0, 10));
    expected.addAll(Values.of(topic, 0, 20, 30));
    assertThat(run(committed, 1)).isEqualTo(expected);
  }

  /** W5: the stop is what was stable, so an open transaction is not waited for. */
  @Test
  void does_not_wait_for_an_open_transaction() throws Exception {
    broker.createTopic(topic, 1);
    transaction(true, 0, 10);
    KorpseSourceBuilder<String> committed =
        bounded(OffsetsInitializer.latest())
            .setTopics(topic)
            .setProperty("isolation.level", "read_committed");
    try (Sender open = transactional()) {
      open.producer().beginTransaction();
      send(open, 10, 20);
      open.producer().flush();

      assertThat(run(committed, 1)).isEqualTo(Values.of(topic, 0, 0, 10));
      open.producer().abortTransaction();
    }
  }

  /** W11: the end of a split by a record. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ends_a_split_at_the_record_that_the_user_names(boolean onFetcher) throws Exception {
    broker.createTopic(topic, 1);
    Values.write(broker, topic, 0, 0, 100);
    String last = Values.of(topic, 0, 50, 51).get(0);

    List<String> read =
        run(
            bounded(OffsetsInitializer.latest())
                .setTopics(topic)
                .setDeserializeOnFetcher(onFetcher)
                .setEofRecordEvaluator(last::equals),
            1);

    assertThat(read).isEqualTo(Values.of(topic, 0, 0, 50));
  }

  @Test
  void names_a_topic_that_does_not_exist() {
    assertFails(bounded(OffsetsInitializer.latest()).setTopics("no-such-topic"))
        .contains("no-such-topic")
        .contains("never creates topics");
  }

  /** W22. */
  @Test
  void names_a_partition_without_a_commit() throws Exception {
    broker.createTopic(topic, 1);

    assertFails(
            bounded(OffsetsInitializer.latest())
                .setTopics(topic)
                .setGroupId("nobody")
                .setStartingOffsets(OffsetsInitializer.committedOffsets()))
        .contains(topic + "-0")
        .contains("nobody");
  }

  @Test
  @Timeout(60)
  void names_a_broker_that_cannot_be_reached_and_no_password() {
    Properties secrets = new Properties();
    secrets.setProperty("ssl.keystore.password", "hunter2");
    KorpseSourceBuilder<String> nowhere =
        bounded(OffsetsInitializer.latest())
            .setTopics("any")
            .setProperties(secrets)
            .setBootstrapServers("localhost:1");
    long start = System.nanoTime();

    assertFails(nowhere).contains("localhost:1").doesNotContain("hunter2");

    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(30));
  }

  /** What such a job fails with. A sink that collects can end Flink (docs/reliability.md). */
  private static AbstractStringAssert<?> assertFails(KorpseSourceBuilder<String> builder) {
    StreamExecutionEnvironment env = environment(1, RuntimeExecutionMode.STREAMING);
    stream(env, builder).sinkTo(new DiscardingSink<>());
    StringBuilder failure = new StringBuilder();
    assertThatThrownBy(env::execute)
        .satisfies(error -> failure.append(ExceptionUtils.stringifyException(error)));
    return assertThat(failure.toString());
  }

  private static KorpseSourceBuilder<String> bounded(OffsetsInitializer stop) {
    return KorpseSource.<String>builder()
        .setBootstrapServers(broker.bootstrapServers())
        .setValueOnlyDeserializer(new SimpleStringSchema())
        .setBounded(stop);
  }

  private static List<String> run(KorpseSourceBuilder<String> source, int parallelism)
      throws Exception {
    return run(source, parallelism, RuntimeExecutionMode.STREAMING);
  }

  @SuppressWarnings("try") // the iterator may be interrupted when it is closed
  private static List<String> run(
      KorpseSourceBuilder<String> source, int parallelism, RuntimeExecutionMode mode)
      throws Exception {
    List<String> read = new ArrayList<>();
    try (CloseableIterator<String> values =
        stream(environment(parallelism, mode), source).executeAndCollect()) {
      values.forEachRemaining(read::add);
    }
    return read;
  }

  private static DataStream<String> stream(
      StreamExecutionEnvironment env, KorpseSourceBuilder<String> source) {
    return env.fromSource(source.build(), WatermarkStrategy.noWatermarks(), "korpse");
  }

  private static StreamExecutionEnvironment environment(
      int parallelism, RuntimeExecutionMode mode) {
    Configuration configuration = new Configuration();
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    env.setRuntimeMode(mode);
    env.setParallelism(parallelism);
    return env;
  }

  private void transaction(boolean commit, int from, int to) {
    try (Sender sender = transactional()) {
      sender.producer().beginTransaction();
      send(sender, from, to);
      if (commit) {
        sender.producer().commitTransaction();
      } else {
        sender.producer().flush();
        sender.producer().abortTransaction();
      }
    }
  }

  private void send(Sender sender, int from, int to) {
    for (String value : Values.of(topic, 0, from, to)) {
      sender.send(topic, 0, null, value.getBytes(StandardCharsets.UTF_8));
    }
  }

  private static Sender transactional() {
    String id = UUID.randomUUID().toString();
    Sender sender = new Sender(broker, Map.of(ProducerConfig.TRANSACTIONAL_ID_CONFIG, id));
    sender.producer().initTransactions();
    return sender;
  }
}
