package io.korpse.flink.source.reader;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.testing.EmbeddedBroker;
import io.korpse.testing.Sender;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Holds the heap formula of the README against the live heap of a JVM. */
@Timeout(120)
final class ReaderHeapIT {

  private static final long MIB = 1024 * 1024;
  private static final long BUFFER = 8 * MIB;

  /**
   * What each consumer of a reader holds that is not for data: the client itself, metrics, threads.
   */
  private static final long REST = MIB;

  /** Likewise for each split: its state here and in the client, and its metrics. */
  private static final long REST_OF_SPLIT = 24_000;

  private static EmbeddedBroker broker;

  @BeforeAll
  static void startBroker() {
    broker =
        EmbeddedBroker.start(1, Map.of("message.max.bytes", Integer.toString(32 * 1024 * 1024)));
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  /**
   * A half of zeros is what packs a batch to half its size. Of each partition's records one in
   * {@code every} has a value of that size and the others one of 1,000 bytes.
   */
  @ParameterizedTest
  @CsvSource({
    "1, none, 0, 12, 20, 900000, 1, 0, 0",
    "1, none, 0, 12, 20, 900000, 1, 1, 1000",
    "1, none, 0, 200, 100, 10000, 1, 1, 20",
    "1, none, 0, 200, 200, 100, 1, 20, 2",
    "1, none, 0, 200, 20, 300000, 10, 0, 0",
    "1, none, 0, 2000, 20, 1000, 1, 0, 0",
    "1, zstd, 100, 12, 20, 900000, 1, 0, 0",
    "1, zstd, 100, 12, 20, 900000, 1, 1, 1000",
    "1, zstd, 50, 12, 60, 300000, 1, 0, 0",
    "2, none, 0, 12, 20, 900000, 1, 0, 0",
    "2, none, 0, 200, 100, 10000, 1, 1, 20",
    "2, zstd, 50, 12, 60, 300000, 1, 0, 0",
  })
  void live_heap_stays_within_the_formula(
      int consumers,
      String codec,
      int zeros,
      int partitions,
      int records,
      int valueBytes,
      int every,
      int headers,
      int headerBytes)
      throws Exception {
    String topic =
        "%s%d-%d-%d-%d-%d-by-%d"
            .formatted(codec, zeros, partitions, valueBytes, every, headers, consumers);
    produce(topic, codec, zeros, partitions, records, valueBytes, every, headers, headerBytes);

    long[] printed = run(topic, partitions, consumers);

    long largest = 200L + valueBytes + headers * (121L + headerBytes);
    boolean packed = !codec.equals("none");
    assertThat(printed[0])
        .isPositive()
        .isLessThanOrEqualTo(formula(consumers, largest, packed, partitions));
    assertThat(printed[1])
        .as("held")
        .isBetween(BUFFER / 2, BUFFER + BUFFER / 8 + consumers * largest);
  }

  private static long[] run(String topic, int partitions, int consumers) throws Exception {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx192m",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                ReaderHeap.class.getName(),
                broker.bootstrapServers(),
                topic,
                Integer.toString(partitions),
                Long.toString(BUFFER),
                Integer.toString(consumers))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String printed;
    try (var out = child.inputReader(UTF_8)) {
      printed = out.lines().reduce("", (before, line) -> line);
    } finally {
      child.destroyForcibly();
    }
    assertThat(printed).isNotEmpty();
    System.out.println(topic + ": live and held bytes " + printed);
    return Arrays.stream(printed.split(" ")).mapToLong(Long::parseLong).toArray();
  }

  private static long formula(int consumers, long largestRecord, boolean packed, int splits) {
    long poll = BUFFER / 8;
    long fetchMaxBytes = BUFFER / 8;
    return BUFFER
        + poll
        + consumers * largestRecord
        + 10 * fetchMaxBytes
        + (packed ? 9 * largestRecord : 0)
        + consumers * REST
        + splits * REST_OF_SPLIT;
  }

  private static void produce(
      String topic,
      String codec,
      int zeros,
      int partitions,
      int records,
      int valueBytes,
      int every,
      int headers,
      int headerBytes) {
    broker.createTopic("warm-" + topic, 1);
    broker.createTopic(topic, partitions);
    Random random = new Random(1);
    byte[] value = new byte[valueBytes];
    byte[] noise = new byte[valueBytes / 100 * (100 - zeros)];
    random.nextBytes(noise);
    System.arraycopy(noise, 0, value, 0, noise.length);
    byte[] small = new byte[1_000];
    Map<String, Object> settings =
        Map.of(
            "compression.type",
            codec,
            "batch.size",
            600_000,
            "linger.ms",
            1_000,
            "buffer.memory",
            256 * MIB,
            "max.request.size",
            16 * 1024 * 1024);
    try (Sender sender = new Sender(broker, settings)) {
      sender.send("warm-" + topic, 0, 0L, new byte[1]);
      for (int i = 0; i < records; i++) {
        for (int p = 0; p < partitions; p++) {
          ProducerRecord<byte[], byte[]> record =
              new ProducerRecord<>(topic, p, (long) i, null, (i + 1) % every == 0 ? value : small);
          for (int h = 0; h < headers; h++) {
            record.headers().add("h", new byte[headerBytes]);
          }
          sender.send(record);
        }
      }
    }
  }
}
