package io.korpse.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korpse.flink.source.testing.Received;
import io.korpse.testing.EmbeddedBroker;
import io.korpse.testing.Sender;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Flink's watermark alignment with two partitions of which one runs 20 times as fast through event
 * time, read in turns so that only alignment holds it back.
 *
 * <p>The fast one may be ahead by the drift and by what was handed over when it was held: four
 * batches of at most 64 KiB, 16 records each. Alignment also takes time to act, some 40 ms on a
 * quiet machine; the rate limit makes that a bounded number of records.
 */
@Timeout(180)
final class AlignmentIT {

  private static final String TOPIC = "topic-" + UUID.randomUUID();
  private static final int RECORDS = 2_000;
  private static final int VALUE_BYTES = 4_096;
  private static final long SLOW_MILLIS = 10;
  private static final long FAST_MILLIS = 200;
  private static final double RECORDS_PER_SECOND = 800;

  private static final long DRIFT_MILLIS = 5_000;
  private static final long HANDED_OVER_MILLIS = 4 * 16 * FAST_MILLIS;

  /** A second until alignment acts, in which all records could be of the fast partition. */
  private static final long ACTING_MILLIS = (long) (RECORDS_PER_SECOND * FAST_MILLIS);

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(3)
              .build());

  private static EmbeddedBroker broker;

  @BeforeAll
  static void write() {
    broker = EmbeddedBroker.start();
    broker.createTopic(TOPIC, 2);
    try (Sender sender = new Sender(broker, Map.of())) {
      for (int i = 0; i < RECORDS; i++) {
        sender.send(TOPIC, 0, i * SLOW_MILLIS, value(0, i * SLOW_MILLIS));
        sender.send(TOPIC, 1, i * FAST_MILLIS, value(1, i * FAST_MILLIS));
      }
    }
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @Test
  void without_alignment_the_fast_partition_runs_away() throws Exception {
    assertThat(widest(run(1, 1, WatermarkStrategy.forMonotonousTimestamps())))
        .isGreaterThan(RECORDS * (FAST_MILLIS - SLOW_MILLIS) * 9 / 10);
  }

  /**
   * W77: splits of one subtask, splits of two, and a third subtask that has none and is idle; and
   * splits of one subtask that are read by two consumers.
   */
  @ParameterizedTest
  @CsvSource({"1, 1", "2, 1", "3, 1", "1, 2"})
  void with_alignment_it_stays_within_the_drift_and_what_was_handed_over(
      int parallelism, int consumers) throws Exception {
    List<Long> emitted =
        run(
            parallelism,
            consumers,
            WatermarkStrategy.<Long>forMonotonousTimestamps()
                .withWatermarkAlignment(
                    "group", Duration.ofMillis(DRIFT_MILLIS), Duration.ofMillis(20)));

    assertThat(emitted).hasSize(2 * RECORDS);
    assertThat(widest(emitted)).isLessThan(DRIFT_MILLIS + HANDED_OVER_MILLIS + ACTING_MILLIS);
  }

  /** The largest distance of the two partitions while neither has come to its end. */
  private static long widest(List<Long> emitted) {
    long[] latest = new long[2];
    int[] left = {RECORDS, RECORDS};
    long widest = 0;
    for (long each : emitted) {
      int partition = (int) (each & 1);
      latest[partition] = each >> 1;
      left[partition]--;
      if (left[0] > 0 && left[1] > 0) {
        widest = Math.max(widest, latest[1] - latest[0]);
      }
    }
    return widest;
  }

  private static List<Long> run(int parallelism, int consumers, WatermarkStrategy<Long> watermarks)
      throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.setParallelism(parallelism);
    env.getConfig().setAutoWatermarkInterval(20);
    KorpseSource<Long> source =
        KorpseSource.<Long>builder()
            .setBootstrapServers(broker.bootstrapServers())
            .setTopics(TOPIC)
            .setUnbounded(OffsetsInitializer.latest())
            .setOrder(RecordOrder.FAIR)
            .setReaderConsumers(consumers)
            .setReaderBuffer(MemorySize.ofMebiBytes(2))
            .setSplitBuffer(MemorySize.parse("512 kb"))
            .setRateLimit(RECORDS_PER_SECOND)
            .setValueOnlyDeserializer(new FirstLong())
            .build();
    Received<Long> received = new Received<>();
    received.collect(env.fromSource(source, watermarks, "source"));
    // The splits end, and the job does not: Flink 2.0 leaves readers out of the alignment once they
    // know that no splits follow.
    JobClient job = env.executeAsync();
    await()
        .atMost(EmbeddedBroker.patience())
        .pollInterval(Duration.ofMillis(200))
        .until(() -> received.values().size() == 2 * RECORDS);
    job.cancel().get(60, TimeUnit.SECONDS);
    return received.values();
  }

  private static byte[] value(int partition, long millis) {
    return ByteBuffer.allocate(VALUE_BYTES).putLong(millis << 1 | partition).array();
  }

  private static final class FirstLong extends AbstractDeserializationSchema<Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public Long deserialize(byte[] message) {
      return ByteBuffer.wrap(message).getLong();
    }
  }
}
