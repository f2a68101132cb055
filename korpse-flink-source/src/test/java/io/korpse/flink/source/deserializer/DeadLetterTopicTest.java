package io.korpse.flink.source.deserializer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Properties;
import javax.management.ObjectName;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.InstantiationUtil;
import org.apache.flink.util.SimpleUserCodeClassLoader;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

final class DeadLetterTopicTest {

  private final MockProducer<byte[], byte[]> producer =
      new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
  private final DeadLetterTopic letters = new DeadLetterTopic("dead", config());

  @Test
  void writes_all_of_the_record_and_where_it_came_from() throws Exception {
    letters.open(producer);

    letters.handle(bad());

    ProducerRecord<byte[], byte[]> written = producer.history().get(0);
    assertThat(written.topic()).isEqualTo("dead");
    assertThat(written.key()).isEqualTo(bytes("key"));
    assertThat(written.value()).isEqualTo(bytes("value"));
    assertThat(written.timestamp()).isEqualTo(1234);
    assertThat(header(written, "own")).isEqualTo("header");
    assertThat(header(written, "korpse.topic")).isEqualTo("t");
    assertThat(header(written, "korpse.partition")).isEqualTo("2");
    assertThat(header(written, "korpse.offset")).isEqualTo("77");
    assertThat(header(written, "korpse.error")).contains("not JSON");
  }

  @Test
  void waits_for_the_brokers_before_a_checkpoint() throws Exception {
    letters.open(producer);
    letters.handle(bad());

    letters.flush();

    assertThat(producer.flushed()).isTrue();
  }

  @Test
  void a_write_that_failed_fails_the_next_checkpoint_and_the_next_record() throws Exception {
    letters.open(producer);
    letters.handle(bad());
    producer.errorNext(new RecordTooLargeException("too large"));

    assertThatThrownBy(letters::flush)
        .hasMessageContaining("'dead'")
        .hasMessageContaining("offset 77 of t-2")
        .hasMessageContaining("max.request.size")
        .hasCauseInstanceOf(RecordTooLargeException.class);
    assertThatThrownBy(() -> letters.handle(bad())).hasMessageContaining("'dead'");
  }

  @Test
  void closes_its_producer() throws Exception {
    letters.open(producer);

    letters.close();
    letters.close();

    assertThat(producer.closed()).isTrue();
  }

  /** Each subtask has a producer, and Kafka registers each of them in JMX by its id. */
  @Test
  void each_producer_has_an_id_of_its_own() throws Exception {
    Properties config = config();
    config.setProperty("client.id", "letters-of-mine");
    DeadLetterTopic one = new DeadLetterTopic("dead", config);
    DeadLetterTopic other = InstantiationUtil.clone(one);
    try {
      one.open(opening());
      other.open(opening());

      assertThat(
              ManagementFactory.getPlatformMBeanServer()
                  .queryNames(
                      new ObjectName("kafka.producer:type=app-info,id=letters-of-mine*"), null))
          .hasSize(2);
    } finally {
      one.close();
      other.close();
    }
  }

  private static DeserializationSchema.InitializationContext opening() {
    return new DeserializationSchema.InitializationContext() {
      @Override
      public MetricGroup getMetricGroup() {
        return new UnregisteredMetricsGroup();
      }

      @Override
      public UserCodeClassLoader getUserCodeClassLoader() {
        return SimpleUserCodeClassLoader.create(DeadLetterTopicTest.class.getClassLoader());
      }
    };
  }

  @Test
  void needs_brokers() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new DeadLetterTopic("dead", new Properties()))
        .withMessageContaining("bootstrap.servers");
  }

  @Test
  void travels_with_the_job_and_shows_no_secret() throws Exception {
    assertThat(InstantiationUtil.clone(letters)).hasToString("DeadLetterTopic[dead]");
  }

  private static Properties config() {
    Properties config = new Properties();
    config.setProperty("bootstrap.servers", "localhost:1");
    config.setProperty("ssl.key.password", "hunter2");
    return config;
  }

  private static BadRecord bad() {
    RecordHeaders headers = new RecordHeaders();
    headers.add("own", bytes("header"));
    return new BadRecord(
        new ConsumerRecord<>(
            "t",
            2,
            77,
            1234,
            TimestampType.CREATE_TIME,
            3,
            5,
            bytes("key"),
            bytes("value"),
            headers,
            Optional.empty()),
        new IOException("not JSON"));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String header(ProducerRecord<byte[], byte[]> record, String name) {
    return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
  }
}
