package io.korpse.flink.source.deserializer;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.util.TemporaryClassLoaderContext;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Writes records that cannot be read to another topic, with their key, value, headers and
 * timestamp, and with where they came from and why in the headers {@code korpse.topic}, {@code
 * korpse.partition}, {@code korpse.offset} and {@code korpse.error} (all as text).
 *
 * <p>All that was handed over is on the brokers before the positions behind it are in a checkpoint;
 * a write that fails, fails the task. After a restore a record may be written again. Closing it
 * takes 30 s at most, whatever {@code korpse.close.timeout} is.
 */
public final class DeadLetterTopic implements BadRecordHandler {

  private static final long serialVersionUID = 1L;

  private static final String PREFIX = "korpse.";
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

  private final String topic;
  private final Properties config;
  private transient Producer<byte[], byte[]> producer;
  private transient AtomicReference<Failure> failure;

  private record Failure(String letter, Exception cause) {}

  /**
   * A handler that writes to {@code topic}, which must exist.
   *
   * @param config of the producer; needed is {@code bootstrap.servers}, while the serializers are
   *     set here and {@code acks} is {@code all} unless it is given; a {@code client.id} is what
   *     the ids of the producers begin with, by default {@code korpse-dead-letter}
   */
  public DeadLetterTopic(String topic, Properties config) {
    this.topic = Objects.requireNonNull(topic, "A dead letter topic needs a name");
    if (config.getProperty(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG) == null) {
      throw new IllegalArgumentException(
          "The producer for the dead letter topic '" + topic + "' needs bootstrap.servers");
    }
    this.config = new Properties();
    this.config.putAll(config);
    this.config.putIfAbsent(ProducerConfig.ACKS_CONFIG, "all");
    String serializer = ByteArraySerializer.class.getName();
    this.config.setProperty(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, serializer);
    this.config.setProperty(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, serializer);
  }

  @Override
  @SuppressWarnings("try") // the context is closed, not used
  public void open(DeserializationSchema.InitializationContext context) {
    ClassLoader userCode = context.getUserCodeClassLoader().asClassLoader();
    try (TemporaryClassLoaderContext ignored = TemporaryClassLoaderContext.of(userCode)) {
      open(new KafkaProducer<>(withOwnId()));
    }
  }

  /** Kafka registers each client in JMX by its id, and every subtask of a job has a producer. */
  private Properties withOwnId() {
    String id =
        String.format(
            "%s-%08x",
            config.getProperty(ProducerConfig.CLIENT_ID_CONFIG, "korpse-dead-letter"),
            ThreadLocalRandom.current().nextInt());
    Properties own = new Properties();
    own.putAll(config);
    own.setProperty(ProducerConfig.CLIENT_ID_CONFIG, id);
    return own;
  }

  void open(Producer<byte[], byte[]> opened) {
    producer = opened;
    failure = new AtomicReference<>();
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // the callback keeps the first failure
  public void handle(BadRecord bad) throws Exception {
    throwFailure();
    ConsumerRecord<byte[], byte[]> record = bad.record();
    Headers headers = new RecordHeaders(record.headers());
    add(headers, "topic", record.topic());
    add(headers, "partition", Integer.toString(record.partition()));
    add(headers, "offset", Long.toString(record.offset()));
    add(headers, "error", bad.cause().toString());
    Long timestamp = record.timestamp() < 0 ? null : record.timestamp();
    producer.send(
        new ProducerRecord<>(topic, null, timestamp, record.key(), record.value(), headers),
        (metadata, error) -> {
          if (error != null) {
            failure.compareAndSet(null, new Failure(bad.describe(), error));
          }
        });
  }

  private static void add(Headers headers, String name, String value) {
    headers.add(PREFIX + name, value.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void flush() throws Exception {
    producer.flush();
    throwFailure();
  }

  @Override
  public void close() throws Exception {
    if (producer != null) {
      producer.close(CLOSE_TIMEOUT);
      producer = null;
      throwFailure();
    }
  }

  private void throwFailure() throws Exception {
    Failure first = failure.get();
    if (first != null) {
      throw new IllegalStateException(
          "The bad "
              + first.letter()
              + " could not be written to the topic '"
              + topic
              + "': "
              + first.cause()
              + ". Check that the topic exists, that the job may write to it, and that it and its"
              + " producer (max.message.bytes, max.request.size) take records of that size",
          first.cause());
    }
  }

  /** The topic, and nothing of the configuration. */
  @Override
  public String toString() {
    return "DeadLetterTopic[" + topic + "]";
  }
}
