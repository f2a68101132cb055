package io.korpse.flink.source.testing;

import io.korpse.flink.source.KorpseSource;
import io.korpse.flink.source.KorpseSourceBuilder;
import io.korpse.flink.source.OffsetsInitializer;
import io.korpse.testing.EmbeddedBroker;
import io.korpse.testing.Sender;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.testframe.external.ExternalSystemSplitDataWriter;
import org.apache.flink.connector.testframe.external.source.DataStreamSourceExternalContext;
import org.apache.flink.connector.testframe.external.source.TestingSourceSettings;

/** Splits for Flink's connector test suite: partitions of one topic, or topics of one partition. */
public final class KafkaSplits implements DataStreamSourceExternalContext<String> {

  /** What a split is. */
  public enum Kind {
    /** A partition more of the one topic. */
    PARTITION,
    /** A topic more that the pattern matches. */
    TOPIC
  }

  private final EmbeddedBroker broker;
  private final Kind kind;
  private final String name = "suite-" + UUID.randomUUID();
  private int splits;

  /** No splits yet. */
  public KafkaSplits(EmbeddedBroker broker, Kind kind) {
    this.broker = broker;
    this.kind = kind;
  }

  @Override
  public Source<String, ?, ?> createSource(TestingSourceSettings settings) {
    KorpseSourceBuilder<String> builder =
        KorpseSource.<String>builder()
            .setBootstrapServers(broker.bootstrapServers())
            .setGroupId(name)
            .setStartingOffsets(OffsetsInitializer.earliest())
            .setDiscoveryInterval(Duration.ofSeconds(1))
            .setValueOnlyDeserializer(new SimpleStringSchema());
    if (kind == Kind.PARTITION) {
      builder.setTopics(name);
    } else {
      builder.setTopicPattern(Pattern.compile(name + "-[0-9]+"));
    }
    if (settings.getBoundedness() == Boundedness.BOUNDED) {
      builder.setBounded(OffsetsInitializer.latest());
    }
    return builder.build();
  }

  @Override
  public ExternalSystemSplitDataWriter<String> createSourceSplitDataWriter(
      TestingSourceSettings settings) {
    int split = splits++;
    if (kind == Kind.TOPIC) {
      broker.createTopic(name + "-" + split, 1);
      return new Writer(new Sender(broker, Map.of()), name + "-" + split, 0);
    } else if (split == 0) {
      broker.createTopic(name, 1);
    } else {
      broker.increasePartitions(name, split + 1);
    }
    return new Writer(new Sender(broker, Map.of()), name, split);
  }

  @Override
  public List<String> generateTestData(TestingSourceSettings settings, int split, long seed) {
    Random random = new Random(seed);
    int count = 100 + random.nextInt(300);
    List<String> values = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      values.add(split + ":" + i + ":" + Long.toHexString(random.nextLong()));
    }
    return values;
  }

  @Override
  public TypeInformation<String> getProducedType() {
    return Types.STRING;
  }

  @Override
  public List<URL> getConnectorJarPaths() {
    return List.of();
  }

  @Override
  public void close() {}

  @Override
  public String toString() {
    return kind.name();
  }

  private record Writer(Sender sender, String topic, int partition)
      implements ExternalSystemSplitDataWriter<String> {
    @Override
    public void writeRecords(List<String> records) {
      for (String value : records) {
        sender.send(topic, partition, null, value.getBytes(StandardCharsets.UTF_8));
      }
      sender.producer().flush();
    }

    @Override
    public void close() {
      sender.close();
    }
  }
}
