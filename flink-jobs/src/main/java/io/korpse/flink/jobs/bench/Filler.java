package io.korpse.flink.jobs.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Writes the records of a scenario, in the order it asks for, and tells when one could not be
 * written.
 */
final class Filler implements AutoCloseable {

  /** The event time of the first record: 1 January 2026, 00:00 UTC. */
  static final long EPOCH_MILLIS = 1_767_225_600_000L;

  private static final int PATTERNS = 64;

  private final KafkaProducer<byte[], byte[]> producer;
  private final AtomicReference<Exception> failure = new AtomicReference<>();
  private final String topic;
  private final byte[][] values;
  private final byte[][] keys;
  private final List<Header> headers = new ArrayList<>();
  private int next;

  private Filler(
      KafkaProducer<byte[], byte[]> producer, String topic, byte[][] values, byte[][] keys) {
    this.producer = producer;
    this.topic = topic;
    this.values = values;
    this.keys = keys;
  }

  /** A filler whose records have the size, keys, headers and compression of {@code settings}. */
  static Filler of(Host host, String topic, Settings settings) {
    return of(host, topic, settings, 64 << 10, 100);
  }

  /**
   * As {@link #of}, with so much room in a batch that several large records share one when they
   * compress.
   */
  static Filler largeBatches(Host host, String topic, Settings settings) {
    return of(host, topic, settings, 8 << 20, 100);
  }

  /** As {@link #of}, sending each record at once. */
  static Filler prompt(Host host, String topic, Settings settings) {
    return of(host, topic, settings, 16 << 10, 0);
  }

  private static Filler of(
      Host host, String topic, Settings settings, int batchBytes, int lingerMillis) {
    String compression =
        settings.has(Option.COMPRESSION) ? settings.text(Option.COMPRESSION) : "none";
    boolean random =
        !settings.has(Option.PAYLOAD) || settings.text(Option.PAYLOAD).equals("random");
    int size = settings.has(Option.SIZE) ? settings.number(Option.SIZE) : 100;
    SplittableRandom source = new SplittableRandom(7);
    byte[][] values = new byte[size > 100_000 ? 4 : PATTERNS][];
    for (int i = 0; i < values.length; i++) {
      values[i] = letters(source, size, random ? 64 : 1);
    }
    byte[][] keys = null;
    if (settings.has(Option.KEYS) && settings.flag(Option.KEYS)) {
      keys = new byte[PATTERNS][];
      for (int i = 0; i < PATTERNS; i++) {
        keys[i] = letters(source, 16, 64);
      }
    }
    Filler filler =
        new Filler(
            producer(host.bootstrap(), compression, batchBytes, lingerMillis), topic, values, keys);
    int count = settings.has(Option.HEADERS) ? settings.number(Option.HEADERS) : 0;
    for (int i = 0; i < count; i++) {
      filler.headers.add(new RecordHeader("header-" + i, letters(source, 16, 64)));
    }
    return filler;
  }

  private static KafkaProducer<byte[], byte[]> producer(
      String bootstrap, String compression, int batchBytes, int lingerMillis) {
    Properties properties = new Properties();
    properties.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    // A request that a busy machine answers late is neither repeated nor written twice.
    properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
    properties.put(ProducerConfig.ACKS_CONFIG, "all");
    properties.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, "300000");
    properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "600000");
    properties.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, compression);
    properties.put(ProducerConfig.LINGER_MS_CONFIG, Integer.toString(lingerMillis));
    properties.put(ProducerConfig.BATCH_SIZE_CONFIG, Integer.toString(batchBytes));
    properties.put(ProducerConfig.BUFFER_MEMORY_CONFIG, Long.toString(256L << 20));
    properties.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, Integer.toString(8 << 20));
    return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** Text of {@code alphabet} different letters, so that it is a string whatever it is read as. */
  private static byte[] letters(SplittableRandom source, int size, int alphabet) {
    byte[] text = new byte[size];
    for (int i = 0; i < size; i++) {
      text[i] = (byte) ('0' + source.nextInt(alphabet));
    }
    return text;
  }

  void add(int partition, long timestamp) {
    add(partition, timestamp, values[next++ % values.length]);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the callback sees the outcome
  void add(int partition, long timestamp, byte[] value) {
    byte[] key = keys == null ? null : keys[next % keys.length];
    producer.send(
        new ProducerRecord<>(
            topic, partition, timestamp, key, value, headers.isEmpty() ? null : headers),
        (metadata, e) -> {
          if (e != null) {
            failure.compareAndSet(null, e);
          }
        });
  }

  /** Spreads {@code records} evenly over the partitions, in turn, over one hour of event time. */
  void spread(Host host, int partitions, long records) {
    long hour = 3_600_000;
    for (long i = 0; i < records; i++) {
      add((int) (i % partitions), EPOCH_MILLIS + i * hour / records);
      if ((i + 1) % 5_000_000 == 0) {
        host.progress("  %,d of %,d records written".formatted(i + 1, records));
      }
    }
  }

  /** Waits until all is written. */
  @Override
  public void close() {
    producer.flush();
    producer.close();
    if (failure.get() != null) {
      throw new IllegalStateException(
          "The topic '%s' was not filled".formatted(topic), failure.get());
    }
  }
}
