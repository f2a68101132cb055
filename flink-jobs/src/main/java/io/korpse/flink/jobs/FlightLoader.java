package io.korpse.flink.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.GZIPInputStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Writes flights to a topic: key = origin, timestamp = the flight's date read as UTC, value = the
 * flight as one line of JSON.
 */
public final class FlightLoader {

  private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("yyyy/MM/dd HH:mm");

  private FlightLoader() {}

  /** The flights in a file: a JSON array, compressed with gzip. */
  public static List<ProducerRecord<String, String>> read(Path file, String topic)
      throws IOException {
    List<ProducerRecord<String, String>> flights = new ArrayList<>();
    try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
      for (JsonNode flight :
          new ObjectMapper().readTree(new String(in.readAllBytes(), StandardCharsets.UTF_8))) {
        long timestamp =
            LocalDateTime.parse(flight.path("date").asText(), DATE)
                .toInstant(ZoneOffset.UTC)
                .toEpochMilli();
        flights.add(
            new ProducerRecord<>(
                topic, null, timestamp, flight.path("origin").asText(), flight.toString()));
      }
    }
    return flights;
  }

  /**
   * Writes flights in their order and returns when all are acknowledged.
   *
   * @param bootstrapServers where the brokers are
   * @param flights what to write
   * @param perSecond the pace; 0 is as fast as it goes
   */
  public static void load(
      String bootstrapServers, List<ProducerRecord<String, String>> flights, int perSecond)
      throws InterruptedException, ExecutionException {
    Map<String, Object> config =
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            bootstrapServers,
            ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
            true,
            ProducerConfig.LINGER_MS_CONFIG,
            5);
    try (Producer<String, String> producer =
        new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
      List<Future<RecordMetadata>> sent = new ArrayList<>(flights.size());
      long start = System.nanoTime();
      for (ProducerRecord<String, String> flight : flights) {
        if (perSecond > 0) {
          waitUntil(start + sent.size() * 1_000_000_000L / perSecond);
        }
        sent.add(producer.send(flight));
      }
      for (Future<RecordMetadata> record : sent) {
        record.get();
      }
    }
  }

  private static void waitUntil(long nanoTime) throws InterruptedException {
    for (long left; (left = nanoTime - System.nanoTime()) > 1_000_000; ) {
      LockSupport.parkNanos(left);
      if (Thread.interrupted()) {
        throw new InterruptedException("Interrupted while loading");
      }
    }
  }
}
