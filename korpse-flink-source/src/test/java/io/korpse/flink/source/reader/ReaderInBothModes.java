package io.korpse.flink.source.reader;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.SourceSettings;
import io.korpse.flink.source.deserializer.KafkaRecordDeserializationSchema;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import io.korpse.testing.EmbeddedBroker;
import io.korpse.testing.Sender;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.core.io.InputStatus;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.Parameter;

/** A reader on a real broker that deserializes on the task thread, or on the fetcher thread. */
abstract class ReaderInBothModes {

  static final String GROUP = "reader-it";

  static EmbeddedBroker broker;

  @Parameter boolean onFetcher;

  final CollectingOutput<String> output = new CollectingOutput<>();
  final List<SourceReader<?, ?>> open = new ArrayList<>();

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @AfterEach
  void closeReaders() throws Exception {
    for (SourceReader<?, ?> reader : open) {
      reader.close();
    }
  }

  /** A name of this test's own in each mode. */
  String topic(String name) {
    return onFetcher ? name + "-early" : name;
  }

  SourceSettings settings() {
    return SourceSettings.defaults(broker.bootstrapServers())
        .withKafka("group.id", GROUP)
        .with(KorpseSourceOptions.DESERIALIZE_ON_FETCHER, onFetcher);
  }

  SourceReader<String, KorpseSplit> reader(SourceSettings settings) throws Exception {
    return open(settings, KafkaRecordDeserializationSchema.valueOnly(new SimpleStringSchema()));
  }

  SourceReader<String, KorpseSplit> open(
      SourceSettings settings, KafkaRecordDeserializationSchema<String> schema) throws Exception {
    SourceReader<String, KorpseSplit> reader =
        KorpseReaders.create(new FakeReaderContext(), schema, settings);
    open.add(reader);
    reader.start();
    return reader;
  }

  void pollUntil(SourceReader<String, KorpseSplit> reader, BooleanSupplier done) throws Exception {
    while (!done.getAsBoolean()) {
      if (reader.pollNext(output) == InputStatus.NOTHING_AVAILABLE) {
        waitFor(reader, done);
      }
    }
  }

  static void waitFor(SourceReader<?, ?> reader, BooleanSupplier done) {
    await()
        .atMost(EmbeddedBroker.patience())
        .pollInterval(1, TimeUnit.MILLISECONDS)
        .until(() -> reader.isAvailable().isDone() || done.getAsBoolean());
  }

  void pollToEnd(SourceReader<String, KorpseSplit> reader) throws Exception {
    InputStatus status = InputStatus.MORE_AVAILABLE;
    while (status != InputStatus.END_OF_INPUT) {
      status = reader.pollNext(output);
      if (status == InputStatus.NOTHING_AVAILABLE) {
        waitFor(reader, () -> false);
      }
    }
  }

  static void produce(String topic, int partitions, int records) {
    broker.createTopic(topic, partitions);
    try (Sender producer = new Sender(broker, Map.of())) {
      for (int i = 0; i < records; i++) {
        for (int p = 0; p < partitions; p++) {
          producer.send(topic, p, null, bytes(p + ":" + i));
        }
      }
    }
  }

  static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  static KorpseSplit split(String topic, int partition, long start, long stop) {
    return new KorpseSplit(
        new TopicPartition(topic, partition), Position.of(start), stop, Uuid.ZERO_UUID, false);
  }

  static List<KorpseSplit> splits(String topic, int count, long stop) {
    List<KorpseSplit> splits = new ArrayList<>();
    for (int p = 0; p < count; p++) {
      splits.add(split(topic, p, 0, stop));
    }
    return splits;
  }
}
