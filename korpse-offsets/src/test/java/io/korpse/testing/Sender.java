package io.korpse.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/** A producer that checks on close that each record arrived. */
public final class Sender implements AutoCloseable {

  private final KafkaProducer<byte[], byte[]> producer;
  private final List<Future<RecordMetadata>> sent = new ArrayList<>();

  /** A sender with the producer settings given. */
  public Sender(EmbeddedBroker broker, Map<String, Object> overrides) {
    producer = broker.producer(overrides);
  }

  /** The producer itself, for transactions. */
  public KafkaProducer<byte[], byte[]> producer() {
    return producer;
  }

  /** Sends a record without a key; {@code timestamp} may be null. */
  public void send(String topic, int partition, Long timestamp, byte[] value) {
    send(new ProducerRecord<>(topic, partition, timestamp, null, value));
  }

  /** Sends a record. */
  public void send(ProducerRecord<byte[], byte[]> record) {
    sent.add(producer.send(record));
  }

  /**
   * Waits for all records and closes the producer.
   *
   * @throws IllegalStateException if one did not arrive
   */
  @Override
  public void close() {
    try (producer) {
      producer.flush();
      for (Future<RecordMetadata> each : sent) {
        each.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("A record did not arrive", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
