package io.korpse.flink.source.reader;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import io.korpse.flink.source.KorpseSource;
import io.korpse.flink.source.KorpseSourceBuilder;
import io.korpse.flink.source.UnsubscribedPolicy;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.flink.source.testing.Commits;
import io.korpse.offsets.Position;
import io.korpse.testing.EmbeddedBroker;
import io.korpse.testing.Sender;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.testutils.MetricListener;
import org.apache.flink.runtime.metrics.groups.InternalSourceReaderMetricGroup;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/** A reader of a source of strings on a real broker, with the test as its task thread. */
final class ReaderRig implements AutoCloseable {

  static final String GROUP = "rig";

  final CollectingOutput<String> output = new CollectingOutput<>();
  final MetricListener metrics = new MetricListener();
  final FakeReaderContext context =
      new FakeReaderContext(InternalSourceReaderMetricGroup.mock(metrics.getMetricGroup()));
  final SourceReader<String, KorpseSplit> reader;
  private boolean closed;

  /** A reader that reads what it is given, whatever it is subscribed to. */
  ReaderRig(KorpseSourceBuilder<String> source) throws Exception {
    this(source.setOnUnsubscribed(UnsubscribedPolicy.KEEP), "given-by-the-test");
  }

  /** A reader that is subscribed to a topic. */
  ReaderRig(KorpseSourceBuilder<String> source, String topic) throws Exception {
    reader = source.setTopics(topic).build().createReader(context);
    reader.start();
  }

  /** What most tests need, with the group {@link #GROUP}. */
  static KorpseSourceBuilder<String> source(EmbeddedBroker broker) {
    return KorpseSource.<String>builder()
        .setBootstrapServers(broker.bootstrapServers())
        .setGroupId(GROUP)
        .setValueOnlyDeserializer(new SimpleStringSchema());
  }

  ReaderRig add(KorpseSplit... splits) {
    reader.addSplits(List.of(splits));
    return this;
  }

  /** Takes elements until this is so. */
  void pollUntil(BooleanSupplier done) throws Exception {
    while (!done.getAsBoolean()) {
      if (reader.pollNext(output) == InputStatus.NOTHING_AVAILABLE) {
        await()
            .atMost(EmbeddedBroker.patience())
            .pollInterval(1, TimeUnit.MILLISECONDS)
            .until(() -> reader.isAvailable().isDone() || done.getAsBoolean());
      }
    }
  }

  void pollUntilCount(int elements) throws Exception {
    pollUntil(() -> output.elements.size() >= elements);
  }

  /** Takes a checkpoint that completes. */
  void checkpoint(long id) throws Exception {
    reader.snapshotState(id);
    reader.notifyCheckpointComplete(id);
  }

  /** A gauge of the group {@code KafkaSourceReader}. */
  long gauge(String name) {
    return metrics.<Number>getGauge("KafkaSourceReader", name).orElseThrow().getValue().longValue();
  }

  /** A gauge of one partition. */
  long partitionGauge(String topic, int partition, String name) {
    return metrics
        .<Number>getGauge(
            "KafkaSourceReader", "topic", topic, "partition", Integer.toString(partition), name)
        .orElseThrow()
        .getValue()
        .longValue();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      try {
        reader.close();
      } catch (Exception e) {
        throw new IllegalStateException("The reader did not close", e);
      }
    }
  }

  // ---- splits and records

  static KorpseSplit split(String topic, int partition) {
    return split(topic, partition, KorpseSplit.NO_STOP_OFFSET);
  }

  static KorpseSplit split(String topic, int partition, long stop) {
    return new KorpseSplit(
        new TopicPartition(topic, partition), Position.of(0), stop, Uuid.ZERO_UUID, false);
  }

  /** Creates a topic and writes {@code "partition:number"} with the number as the timestamp. */
  static void produce(EmbeddedBroker broker, String topic, int partitions, int records) {
    broker.createTopic(topic, partitions);
    try (Sender producer = new Sender(broker, Map.of())) {
      for (int i = 0; i < records; i++) {
        for (int p = 0; p < partitions; p++) {
          producer.send(topic, p, (long) i, (p + ":" + i).getBytes(UTF_8));
        }
      }
    }
  }

  /** What the group {@link #GROUP} has. */
  static Commits committed(EmbeddedBroker broker) {
    return new Commits(broker, GROUP);
  }
}
