package io.korpse.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.deserializer.DeadLetterTopic;
import io.korpse.flink.source.testing.RunningJob;
import io.korpse.testing.EmbeddedBroker;
import io.korpse.testing.Sender;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.ExceptionUtils;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the user can choose for records that cannot be read, in a real job; the same whichever
 * thread deserializes.
 */
@Timeout(180)
@ParameterizedClass
@ValueSource(booleans = {false, true})
final class BadRecordsIT {

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(2)
              .build());

  private static EmbeddedBroker broker;

  @Parameter boolean onFetcher;

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
  void writeRecords() {
    broker.createTopic(topic, 1);
    try (Sender sender = new Sender(broker, Map.of())) {
      for (String value : new String[] {"1", "2", "three", null, "5"}) {
        byte[] bytes = value == null ? null : value.getBytes(StandardCharsets.UTF_8);
        sender.send(
            new ProducerRecord<>(topic, 0, 42L, "key".getBytes(StandardCharsets.UTF_8), bytes));
      }
    }
  }

  /** W60. */
  @Test
  void fails_with_the_coordinates_by_default() throws Exception {
    try (RunningJob<Integer> job = RunningJob.start(source().build(), 1, null)) {
      assertThatThrownBy(job::awaitEnd)
          .satisfies(
              error ->
                  assertThat(ExceptionUtils.stringifyException(error))
                      .contains("offset 2 of " + topic + "-0")
                      .contains("key 3 bytes", "value 5 bytes"));
    }
  }

  @Test
  void skips_them() throws Exception {
    assertThat(run(source().setOnBadRecord(BadRecordPolicy.SKIP))).containsExactly(1, 2, 5);
  }

  /** W61. */
  @Test
  void stops_skipping_at_the_limit() throws Exception {
    KorpseSourceBuilder<Integer> strict =
        source().setOnBadRecord(BadRecordPolicy.SKIP).setBadRecordLimit(0, Duration.ofMinutes(1));
    try (RunningJob<Integer> job = RunningJob.start(strict.build(), 1, null)) {
      assertThatThrownBy(job::awaitEnd)
          .satisfies(
              error ->
                  assertThat(ExceptionUtils.stringifyException(error))
                      .contains("More than 0 bad records"));
    }
  }

  /** W61. */
  @Test
  void writes_them_to_a_topic_with_key_and_coordinates() throws Exception {
    broker.createTopic(topic + "-dead", 1);
    Properties producer = new Properties();
    producer.setProperty("bootstrap.servers", broker.bootstrapServers());

    assertThat(run(source().setBadRecordHandler(new DeadLetterTopic(topic + "-dead", producer))))
        .containsExactly(1, 2, 5);

    List<ConsumerRecord<String, String>> dead = read(topic + "-dead", 1);
    assertThat(dead.get(0).key()).isEqualTo("key");
    assertThat(dead.get(0).value()).isEqualTo("three");
    assertThat(dead.get(0).timestamp()).isEqualTo(42);
    assertThat(header(dead.get(0), "topic")).isEqualTo(topic);
    assertThat(header(dead.get(0), "partition")).isEqualTo("0");
    assertThat(header(dead.get(0), "offset")).isEqualTo("2");
    assertThat(header(dead.get(0), "error")).contains("not a number");
  }

  /** W62. */
  @Test
  void tombstones_can_be_bad_records_too() throws Exception {
    KorpseSourceBuilder<Integer> strict =
        source()
            .setStartingOffsets(
                OffsetsInitializer.offsets(Map.of(new TopicPartition(topic, 0), 3L)))
            .setTombstones(TombstonePolicy.FAIL);
    try (RunningJob<Integer> job = RunningJob.start(strict.build(), 1, null)) {
      assertThatThrownBy(job::awaitEnd)
          .satisfies(
              error ->
                  assertThat(ExceptionUtils.stringifyException(error))
                      .contains("offset 3 of " + topic + "-0")
                      .contains("value none"));
    }
  }

  private static String header(ConsumerRecord<?, ?> record, String name) {
    return new String(
        record.headers().lastHeader("korpse." + name).value(), StandardCharsets.UTF_8);
  }

  private static List<Integer> run(KorpseSourceBuilder<Integer> source) throws Exception {
    try (RunningJob<Integer> job = RunningJob.start(source.build(), 1, null)) {
      job.awaitEnd();
      return job.values();
    }
  }

  private KorpseSourceBuilder<Integer> source() {
    return KorpseSource.<Integer>builder()
        .setBootstrapServers(broker.bootstrapServers())
        .setTopics(topic)
        .setBounded(OffsetsInitializer.latest())
        .setDeserializeOnFetcher(onFetcher)
        .setValueOnlyDeserializer(new Numbers());
  }

  private static List<ConsumerRecord<String, String>> read(String from, int count) {
    Properties config = new Properties();
    config.setProperty("bootstrap.servers", broker.bootstrapServers());
    List<ConsumerRecord<String, String>> records = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
      TopicPartition partition = new TopicPartition(from, 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      while (records.size() < count) {
        consumer.poll(Duration.ofMillis(200)).forEach(records::add);
      }
    }
    return records;
  }

  private static final class Numbers extends AbstractDeserializationSchema<Integer> {
    private static final long serialVersionUID = 1L;

    @Override
    public Integer deserialize(byte[] message) throws IOException {
      try {
        return Integer.valueOf(new String(message, StandardCharsets.UTF_8));
      } catch (NumberFormatException e) {
        throw new IOException("not a number", e);
      }
    }
  }
}
