package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.korpse.flink.source.BadRecordPolicy;
import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.deserializer.KafkaRecordDeserializationSchema;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.testing.EmbeddedBroker;
import io.korpse.testing.Sender;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One reader on a real broker, with the test as its task thread; deserializing there, or on the
 * fetcher thread.
 */
@Timeout(120)
@ParameterizedClass
@ValueSource(booleans = {false, true})
final class KorpseReaderIT extends ReaderInBothModes {

  @Test
  void emits_every_record_once_and_in_order_within_its_partition() throws Exception {
    produce(topic("in-order"), 4, 1000);
    SourceReader<String, KorpseSplit> reader = reader(settings());
    reader.addSplits(splits(topic("in-order"), 4, KorpseSplit.NO_STOP_OFFSET));

    pollUntil(reader, () -> output.elements.size() >= 4000);

    assertThat(byPartition(output.elements))
        .hasSize(4)
        .allSatisfy((p, numbers) -> assertThat(numbers).isEqualTo(upTo(1000)));
  }

  @Test
  void hands_records_of_skewed_partitions_over_in_event_time_order() throws Exception {
    broker.createTopic(topic("skewed"), 2);
    try (Sender producer = new Sender(broker, Map.of())) {
      for (int i = 0; i < 20_000; i++) {
        producer.send(topic("skewed"), 0, (long) i, bytes("0:" + i));
        if (i % 100 == 0) {
          producer.send(topic("skewed"), 1, (long) i, bytes("1:" + i));
        }
      }
    }
    SourceReader<String, KorpseSplit> reader = reader(settings());
    reader.addSplits(
        List.of(split(topic("skewed"), 0, 0, 20_000), split(topic("skewed"), 1, 0, 200)));
    reader.notifyNoMoreSplits();

    pollToEnd(reader);

    assertThat(output.elements).hasSize(20_200);
    long latest = 0;
    long disorder = 0;
    for (long timestamp : output.timestamps) {
      latest = Math.max(latest, timestamp);
      disorder = Math.max(disorder, latest - timestamp);
    }
    assertThat(disorder).isLessThanOrEqualTo(1_000);
  }

  /** W81. */
  @Test
  void ends_at_the_stop_offsets_and_releases_each_split() throws Exception {
    produce(topic("bounded"), 3, 500);
    SourceReader<String, KorpseSplit> reader = reader(settings());
    reader.addSplits(splits(topic("bounded"), 3, 300));
    reader.notifyNoMoreSplits();

    pollToEnd(reader);

    assertThat(byPartition(output.elements))
        .allSatisfy((p, numbers) -> assertThat(numbers).isEqualTo(upTo(300)));
    assertThat(output.released)
        .containsExactlyInAnyOrder(
            topic("bounded") + "-0", topic("bounded") + "-1", topic("bounded") + "-2");
  }

  @Test
  void goes_on_after_a_restore_where_the_snapshot_was_taken() throws Exception {
    produce(topic("restored"), 2, 1000);
    SourceReader<String, KorpseSplit> first = reader(settings());
    first.addSplits(splits(topic("restored"), 2, 1000));
    pollUntil(first, () -> output.elements.size() >= 700);
    List<KorpseSplit> snapshot = first.snapshotState(1);
    open.remove(first);
    first.close();

    SourceReader<String, KorpseSplit> second = reader(settings());
    second.addSplits(snapshot);
    second.notifyNoMoreSplits();
    pollToEnd(second);

    assertThat(byPartition(output.elements))
        .allSatisfy((p, numbers) -> assertThat(numbers).isEqualTo(upTo(1000)));
  }

  /** W75. */
  @Test
  void pauses_only_the_split_that_alignment_holds_while_the_other_flows() throws Exception {
    produce(topic("aligned"), 2, 3000);
    SourceReader<String, KorpseSplit> reader = reader(settings());
    // Before the split is added: the wish must not be lost.
    reader.pauseOrResumeSplits(List.of(topic("aligned") + "-0"), List.of());
    reader.addSplits(splits(topic("aligned"), 2, KorpseSplit.NO_STOP_OFFSET));

    pollUntil(reader, () -> output.elements.size() >= 3000);
    assertThat(byPartition(output.elements)).containsOnlyKeys("1");

    reader.pauseOrResumeSplits(List.of(), List.of(topic("aligned") + "-0"));
    pollUntil(reader, () -> output.elements.size() >= 6000);
    assertThat(byPartition(output.elements)).containsOnlyKeys("0", "1");
  }

  @Test
  void keeps_to_a_rate_and_is_not_available_meanwhile() throws Exception {
    produce(topic("limited"), 1, 300);
    SourceReader<String, KorpseSplit> reader =
        reader(settings().with(KorpseSourceOptions.RATE_LIMIT, 200.0));
    reader.addSplits(List.of(split(topic("limited"), 0, 0, 300)));
    reader.notifyNoMoreSplits();
    pollUntil(reader, () -> !output.elements.isEmpty());
    long start = System.nanoTime();
    int before = output.elements.size();

    int unavailable = 0;
    for (InputStatus status = InputStatus.MORE_AVAILABLE; status != InputStatus.END_OF_INPUT; ) {
      status = reader.pollNext(output);
      if (status == InputStatus.NOTHING_AVAILABLE) {
        unavailable++;
        waitFor(reader, () -> false);
      }
    }

    // A tenth of a second's records may come at once.
    long millis = Duration.ofNanos(System.nanoTime() - start).toMillis();
    assertThat(millis).isGreaterThanOrEqualTo((300 - before) * 1_000 / 200 - 110);
    assertThat(unavailable).isBetween(10, 300);
    assertThat(output.elements).hasSize(300);
  }

  @Test
  void moves_the_position_past_the_control_records_of_transactions() throws Exception {
    broker.createTopic(topic("transactional"), 1);
    try (Sender producer =
        new Sender(broker, Map.of("transactional.id", topic("control-records")))) {
      producer.producer().initTransactions();
      for (int i = 0; i < 3; i++) {
        producer.producer().beginTransaction();
        producer.send(topic("transactional"), 0, null, bytes("0:" + i));
        producer.producer().commitTransaction();
      }
    }
    SourceReader<String, KorpseSplit> reader =
        reader(settings().withKafka("isolation.level", "read_committed"));
    reader.addSplits(List.of(split(topic("transactional"), 0, 0, KorpseSplit.NO_STOP_OFFSET)));

    // Three records and three commit markers.
    pollUntil(reader, () -> reader.snapshotState(1).get(0).position().offset() == 6);
    assertThat(output.elements).hasSize(3);
  }

  @Test
  void a_value_that_cannot_be_read_names_its_coordinates() throws Exception {
    produce(topic("poison"), 1, 10);
    SourceReader<String, KorpseSplit> reader =
        open(
            settings(),
            KafkaRecordDeserializationSchema.valueOnly(
                new SimpleStringSchema() {
                  @Override
                  public String deserialize(byte[] message) {
                    String text = super.deserialize(message);
                    if (text.endsWith(":7")) {
                      throw new IllegalArgumentException("not seven");
                    }
                    return text;
                  }
                }));
    reader.addSplits(List.of(split(topic("poison"), 0, 0, KorpseSplit.NO_STOP_OFFSET)));

    assertThatThrownBy(() -> pollUntil(reader, () -> false))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("offset 7 of " + topic("poison") + "-0")
        .hasMessageContaining("not seven")
        .hasMessageContaining("onBadRecord");
  }

  @Test
  void what_a_record_gave_before_it_failed_is_emitted_and_the_thread_is_the_chosen_one()
      throws Exception {
    produce(topic("half"), 1, 3);
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    SourceReader<String, KorpseSplit> reader =
        open(
            settings().with(KorpseSourceOptions.ON_BAD_RECORD, BadRecordPolicy.SKIP),
            KafkaRecordDeserializationSchema.valueOnly(
                new SimpleStringSchema() {
                  @Override
                  public void deserialize(byte[] message, Collector<String> out) {
                    threads.add(Thread.currentThread());
                    String text = super.deserialize(message);
                    out.collect(text + "a");
                    if (text.endsWith(":1")) {
                      throw new IllegalArgumentException("halfway");
                    }
                    out.collect(text + "b");
                    out.collect(text + "c");
                  }
                }));
    reader.addSplits(List.of(split(topic("half"), 0, 0, 3)));
    reader.notifyNoMoreSplits();

    pollToEnd(reader);

    assertThat(output.elements)
        .containsExactly("0:0a", "0:0b", "0:0c", "0:1a", "0:2a", "0:2b", "0:2c");
    if (onFetcher) {
      assertThat(threads).doesNotContain(Thread.currentThread()).hasSize(1);
    } else {
      assertThat(threads).containsExactly(Thread.currentThread());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shows_the_metrics_of_the_consumer_as_a_whole_if_it_may(boolean shown) throws Exception {
    String name = topic("consumer-metrics-" + shown);
    produce(name, 2, 10);
    MetricsOfReader metrics = new MetricsOfReader();
    SourceReader<String, KorpseSplit> reader =
        KorpseReaders.create(
            new FakeReaderContext(metrics.group()),
            KafkaRecordDeserializationSchema.valueOnly(new SimpleStringSchema()),
            settings().with(KorpseSourceOptions.CONSUMER_METRICS, shown));
    open.add(reader);
    reader.start();
    reader.addSplits(splits(name, 2, KorpseSplit.NO_STOP_OFFSET));

    pollUntil(reader, () -> output.elements.size() == 20);

    assertThat(metrics.has("KafkaConsumer.records-consumed-total")).isEqualTo(shown);
    if (shown) {
      // The consumer counts a response when all of it was returned.
      await()
          .atMost(EmbeddedBroker.patience())
          .until(() -> metrics.number("KafkaConsumer.records-consumed-total") == 20);
      assertThat(metrics.has("KafkaConsumer.records-lag"))
          .as("a metric of one partition")
          .isFalse();
    }
  }

  /** W72. */
  @Test
  void a_small_budget_holds_for_well_compressed_large_records() throws Exception {
    broker.createTopic(topic("compressed"), 8, Map.of("max.message.bytes", "2000000"));
    byte[] large = new byte[900_000];
    try (Sender producer =
        new Sender(
            broker,
            Map.of(
                "enable.idempotence",
                false,
                "max.in.flight.requests.per.connection",
                1,
                "compression.type",
                "zstd",
                "max.request.size",
                2_000_000,
                "batch.size",
                1_000_000))) {
      for (int i = 0; i < 40; i++) {
        for (int p = 0; p < 8; p++) {
          producer.send(topic("compressed"), p, null, large);
        }
      }
    }
    MetricsOfReader metrics = new MetricsOfReader();
    FakeReaderContext context = new FakeReaderContext(metrics.group());
    SourceReader<byte[], KorpseSplit> reader =
        KorpseReaders.create(
            context,
            KafkaRecordDeserializationSchema.valueOnly(new SizeSchema()),
            settings().with(KorpseSourceOptions.READER_BUFFER, MemorySize.ofMebiBytes(8)));
    open.add(reader);
    reader.addSplits(splits(topic("compressed"), 8, 40));
    reader.notifyNoMoreSplits();
    reader.start();
    CollectingOutput<byte[]> sizes = new CollectingOutput<>();

    InputStatus status = InputStatus.MORE_AVAILABLE;
    while (status != InputStatus.END_OF_INPUT) {
      status = reader.pollNext(sizes);
      // One poll may go beyond the budget by its quota of 1 MiB and one record.
      assertThat(metrics.number("heldBytesPeak")).isLessThanOrEqualTo((8 + 1 + 1) * 1024 * 1024);
      if (status == InputStatus.NOTHING_AVAILABLE) {
        reader.isAvailable().get(10, TimeUnit.SECONDS);
      }
    }
    assertThat(sizes.elements).hasSize(320);
    assertThat(metrics.number("recordsWithheld")).isPositive();
  }

  private static final class SizeSchema implements DeserializationSchema<byte[]> {
    @Override
    public byte[] deserialize(byte[] message) {
      return new byte[] {(byte) message.length};
    }

    @Override
    public boolean isEndOfStream(byte[] next) {
      return false;
    }

    @Override
    public org.apache.flink.api.common.typeinfo.TypeInformation<byte[]> getProducedType() {
      return org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo
          .BYTE_PRIMITIVE_ARRAY_TYPE_INFO;
    }
  }

  private static Map<String, List<Integer>> byPartition(Collection<String> elements) {
    Map<String, List<Integer>> byPartition = new TreeMap<>();
    for (String element : elements) {
      int colon = element.indexOf(':');
      byPartition
          .computeIfAbsent(element.substring(0, colon), p -> new ArrayList<>())
          .add(Integer.valueOf(element.substring(colon + 1)));
    }
    return byPartition;
  }

  private static List<Integer> upTo(int end) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < end; i++) {
      numbers.add(i);
    }
    return numbers;
  }
}
