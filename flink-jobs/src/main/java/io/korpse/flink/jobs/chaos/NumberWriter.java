package io.korpse.flink.jobs.chaos;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Writes numbered records round robin at a steady pace on a thread of its own, until it is closed.
 * The producer is idempotent and patient, so the topic holds each number once, in order.
 */
final class NumberWriter implements AutoCloseable {

  /** No more partitions than this can be added. */
  static final int MOST_PARTITIONS = 64;

  private static final int PADDING = 100;
  private static final int PATIENCE_MILLIS = 600_000;

  private final KafkaProducer<byte[], byte[]> producer;
  private final String topic;
  private final long[] written = new long[MOST_PARTITIONS];
  private final long nanosPerRecord;
  private final AtomicReference<Exception> failure = new AtomicReference<>();
  private final Thread thread = new Thread(this::write, "number-writer");
  private volatile int partitions;
  private volatile boolean stopped;

  NumberWriter(String bootstrapServers, String topic, int partitions, int perSecond) {
    this.topic = topic;
    this.partitions = partitions;
    this.nanosPerRecord = 1_000_000_000L / perSecond;
    this.producer =
        new KafkaProducer<>(
            Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                ProducerConfig.ACKS_CONFIG,
                "all",
                ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                true,
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                5_000,
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                PATIENCE_MILLIS,
                ProducerConfig.MAX_BLOCK_MS_CONFIG,
                PATIENCE_MILLIS,
                ProducerConfig.LINGER_MS_CONFIG,
                5),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    thread.setDaemon(true);
    thread.start();
  }

  private void write() {
    long next = System.nanoTime();
    for (int partition = 0; !stopped; partition = (partition + 1) % partitions) {
      NumberedRecord record =
          new NumberedRecord(partition, written[partition]++, System.currentTimeMillis());
      try {
        // The callback sees what the future would.
        var unused =
            producer.send(
                record.to(topic, PADDING),
                (metadata, exception) -> {
                  if (exception != null) {
                    failure.compareAndSet(null, exception);
                  }
                });
      } catch (RuntimeException e) {
        failure.compareAndSet(null, e);
        return;
      }
      next += nanosPerRecord;
      LockSupport.parkNanos(next - System.nanoTime());
    }
  }

  /** Writes to so many partitions from now on; they must exist. */
  void useAlso(int morePartitions) {
    if (morePartitions > MOST_PARTITIONS) {
      throw new IllegalArgumentException(morePartitions + " partitions are too many");
    }
    partitions = morePartitions;
  }

  /**
   * Stops, waits until all is acknowledged and returns the number of records per partition.
   *
   * @throws IllegalStateException when a record was not acknowledged
   */
  long[] stop() throws InterruptedException {
    stopped = true;
    thread.join();
    producer.flush();
    if (failure.get() != null) {
      throw new IllegalStateException(
          "The original could not be written: " + failure.get().getMessage(), failure.get());
    }
    return Arrays.copyOf(written, partitions);
  }

  @Override
  public void close() {
    stopped = true;
    producer.close(Duration.ZERO);
  }
}
