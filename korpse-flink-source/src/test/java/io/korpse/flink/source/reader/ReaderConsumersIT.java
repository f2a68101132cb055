package io.korpse.flink.source.reader;

import static io.korpse.flink.source.reader.ReaderRig.produce;
import static io.korpse.flink.source.reader.ReaderRig.source;
import static io.korpse.flink.source.reader.ReaderRig.split;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.korpse.flink.source.KorpseSourceBuilder;
import io.korpse.flink.source.RecordOrder;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.testing.EmbeddedBroker;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.management.ObjectName;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.Gauge;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A reader with several consumers, on a real broker. */
@Timeout(180)
final class ReaderConsumersIT {

  private static final String TOPIC = "spread";
  private static final int PARTITIONS = 5;
  private static final int RECORDS = 20_000;
  private static final long SLACK_MILLIS = 500;

  /** Of hooks and factories, which are copied. */
  private static final AtomicInteger MADE = new AtomicInteger();

  private static EmbeddedBroker broker;

  @BeforeAll
  static void write() {
    broker = EmbeddedBroker.start();
    produce(broker, TOPIC, PARTITIONS, RECORDS);
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  /** Whatever a test does, it leaves neither a thread nor a client. */
  @AfterEach
  void nothing_is_left() {
    await()
        .atMost(EmbeddedBroker.patience())
        .untilAsserted(
            () -> {
              assertThat(Thread.getAllStackTraces().keySet())
                  .extracting(Thread::getName)
                  .noneMatch(
                      name -> name.startsWith("Source Data Fetcher") || name.startsWith("korpse-"));
              assertThat(clients()).isEmpty();
            });
  }

  @ParameterizedTest
  @CsvSource({"2, EVENT_TIME", "3, EVENT_TIME", "2, FAIR", "3, FAIR", "8, EVENT_TIME"})
  void reads_all_once_and_comes_to_its_end(int consumers, RecordOrder order) throws Exception {
    KorpseSourceBuilder<String> source =
        source(broker).setReaderConsumers(consumers).setRetainedResponses(15).setOrder(order);
    try (ReaderRig rig = new ReaderRig(source)) {
      rig.add(bounded());
      rig.reader.notifyNoMoreSplits();
      InputStatus status = null;
      while (status != InputStatus.END_OF_INPUT) {
        status = rig.reader.pollNext(rig.output);
        if (status == InputStatus.NOTHING_AVAILABLE) {
          await()
              .atMost(EmbeddedBroker.patience())
              .pollInterval(Duration.ofMillis(1))
              .until(() -> rig.reader.isAvailable().isDone());
        }
      }

      assertThat(rig.output.elements).hasSize(PARTITIONS * RECORDS);
      Map<String, Integer> next = new HashMap<>();
      for (String element : rig.output.elements) {
        String[] parts = element.split(":", -1);
        assertThat(Integer.parseInt(parts[1])).isEqualTo(next.merge(parts[0], 1, Integer::sum) - 1);
      }
      assertThat(rig.output.released).hasSize(PARTITIONS).doesNotHaveDuplicates();
      if (order == RecordOrder.EVENT_TIME && rig.gauge("orderGivenUp") == 0) {
        long disorder = disorder(rig.output.timestamps);
        assertThat(disorder).isLessThanOrEqualTo(SLACK_MILLIS);
        assertThat(rig.gauge("maxDisorder")).isEqualTo(disorder);
      }
    }
  }

  /** It may be given up on a machine that stands still, but not each time. */
  @Test
  void order_holds_within_the_slack_without_being_given_up() throws Exception {
    int kept = 0;
    for (int run = 0; run < 3 && kept == 0; run++) {
      try (ReaderRig rig = new ReaderRig(source(broker).setReaderConsumers(2))) {
        rig.add(bounded()).pollUntilCount(PARTITIONS * RECORDS);
        assertThat(disorder(rig.output.timestamps)).isEqualTo(rig.gauge("maxDisorder"));
        kept += rig.gauge("orderGivenUp") == 0 && rig.gauge("maxDisorder") <= SLACK_MILLIS ? 1 : 0;
      }
    }
    assertThat(kept).isEqualTo(1);
  }

  private static long disorder(List<Long> timestamps) {
    long latest = Long.MIN_VALUE;
    long disorder = 0;
    for (long timestamp : timestamps) {
      latest = Math.max(latest, timestamp);
      disorder = Math.max(disorder, latest - timestamp);
    }
    return disorder;
  }

  private static KorpseSplit[] bounded() {
    List<KorpseSplit> splits = new ArrayList<>();
    for (int p = 0; p < PARTITIONS; p++) {
      splits.add(split(TOPIC, p, RECORDS));
    }
    return splits.toArray(new KorpseSplit[0]);
  }

  private static KorpseSplit[] unbounded() {
    return IntStream.range(0, PARTITIONS)
        .mapToObj(p -> split(TOPIC, p))
        .toArray(KorpseSplit[]::new);
  }

  /** Splits 0 and 3 are of one consumer of three, 1 and 4 of another, 2 of the third. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void holds_back_just_the_splits_that_alignment_names(int consumers) throws Exception {
    try (ReaderRig rig = new ReaderRig(source(broker).setReaderConsumers(consumers))) {
      List<String> held = List.of(TOPIC + "-0", TOPIC + "-1");
      rig.add(split(TOPIC, 0), split(TOPIC, 1), split(TOPIC, 2), split(TOPIC, 3));
      rig.reader.pauseOrResumeSplits(held, List.of());
      rig.pollUntil(() -> count(rig, "2:") == RECORDS && count(rig, "3:") == RECORDS);
      assertThat(rig.partitionGauge(TOPIC, 0, "pauseReasons") & 4).isEqualTo(4);
      assertThat(rig.partitionGauge(TOPIC, 1, "pauseReasons") & 4).isEqualTo(4);
      assertThat(rig.partitionGauge(TOPIC, 2, "pauseReasons") & 4).isZero();
      // Held before its add task ran, so that nothing of it was handed over.
      assertThat(count(rig, "0:") + count(rig, "1:")).isLessThan(RECORDS);

      rig.reader.pauseOrResumeSplits(List.of(), held);
      rig.pollUntilCount(4 * RECORDS);
    }
  }

  private static long count(ReaderRig rig, String prefix) {
    return rig.output.elements.stream().filter(element -> element.startsWith(prefix)).count();
  }

  @Test
  void metrics_are_those_of_all_consumers_together() throws Exception {
    try (ReaderRig rig =
        new ReaderRig(
            source(broker)
                .setReaderConsumers(2)
                .setReaderBuffer(MemorySize.ofMebiBytes(10))
                .setSplitBuffer(MemorySize.ofMebiBytes(1)))) {
      // Without an end: a consumer whose splits have all ended is closed, maybe before the others.
      rig.add(unbounded()).pollUntilCount(PARTITIONS * RECORDS);

      assertThat(rig.gauge("recordsRead")).isEqualTo(PARTITIONS * RECORDS);
      assertThat(rig.gauge("heldBytesMax")).isEqualTo(10 << 20);
      assertThat(rig.gauge("heldBytesPeak")).isBetween(1L, (10L << 20) * 9 / 8);
      assertThat(rig.gauge("fetcherCpuTime")).isPositive();
      Gauge<Double> consumed =
          rig.metrics
              .<Double>getGauge("KafkaSourceReader", "KafkaConsumer", "records-consumed-total")
              .orElseThrow();
      assertThat(consumed.getValue()).isGreaterThanOrEqualTo(PARTITIONS * RECORDS);
      assertThat(clients()).hasSize(2).doesNotHaveDuplicates();
      assertThat(MADE).as("the standard factory").hasValue(0);
    }
  }

  /** The second one dies in the midst of reading. */
  @Test
  void a_failure_of_one_consumer_fails_the_reader_at_once() throws Exception {
    MADE.set(0);
    KorpseSourceBuilder<String> source =
        source(broker)
            .setReaderConsumers(2)
            .setConsumerFactory(
                (config, keys, values) -> {
                  KafkaConsumer<byte[], byte[]> consumer =
                      new KafkaConsumer<>(config, keys, values);
                  MADE.incrementAndGet();
                  return consumer;
                })
            .setRecordHook(
                (record, drops) -> {
                  if (record.partition() == 1 && record.offset() == RECORDS / 2) {
                    throw new KafkaException("broken on purpose");
                  }
                  return record;
                });
    long start;
    try (ReaderRig rig = new ReaderRig(source)) {
      rig.add(bounded());
      assertThatThrownBy(() -> rig.pollUntilCount(PARTITIONS * RECORDS))
          .hasRootCauseMessage("broken on purpose");
      start = System.nanoTime();
    }
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    assertThat(MADE).hasValue(2);
    MADE.set(0);
  }

  @Test
  void each_consumer_deserializes_with_a_schema_of_its_own() throws Exception {
    try (ReaderRig rig =
        new ReaderRig(source(broker).setReaderConsumers(3).setDeserializeOnFetcher(true))) {
      rig.add(bounded()).pollUntilCount(PARTITIONS * RECORDS);

      assertThat(rig.output.elements).doesNotHaveDuplicates();
    }
  }

  @Test
  void what_the_copies_of_a_hook_drop_is_counted_together() throws Exception {
    try (ReaderRig rig =
        new ReaderRig(
            source(broker)
                .setReaderConsumers(2)
                .setRecordHook(
                    (record, drops) ->
                        record.offset() % 2 == 0 ? drops.because("even") : record))) {
      rig.add(bounded()).pollUntilCount(PARTITIONS * RECORDS / 2);

      assertThat(
              rig.metrics
                  .getCounter("KafkaSourceReader", "recordsDropped")
                  .orElseThrow()
                  .getCount())
          .isEqualTo(PARTITIONS * RECORDS / 2);
    }
  }

  private static List<String> clients() throws Exception {
    return ManagementFactory.getPlatformMBeanServer()
        .queryNames(
            new ObjectName("kafka.consumer:type=app-info,id=" + ReaderRig.GROUP + "-0-*"), null)
        .stream()
        .map(name -> name.getKeyProperty("id"))
        .toList();
  }
}
