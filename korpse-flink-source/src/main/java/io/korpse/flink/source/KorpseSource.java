package io.korpse.flink.source;

import io.korpse.flink.source.deserializer.KafkaRecordDeserializationSchema;
import io.korpse.flink.source.enumerator.EnumeratorState;
import io.korpse.flink.source.enumerator.EnumeratorStateSerializer;
import io.korpse.flink.source.enumerator.KorpseEnumerator;
import io.korpse.flink.source.enumerator.OffsetRules;
import io.korpse.flink.source.enumerator.Subscription;
import io.korpse.flink.source.lineage.KorpseLineage;
import io.korpse.flink.source.reader.KorpseReaders;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.flink.source.split.KorpseSplitSerializer;
import io.korpse.offsets.SteadyClock;
import java.time.Clock;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.lineage.LineageVertex;
import org.apache.flink.streaming.api.lineage.LineageVertexProvider;

/**
 * Reads Kafka topics with bounded memory. Made by {@link #builder()}:
 *
 * <pre>{@code
 * KorpseSource<String> source =
 *     KorpseSource.<String>builder()
 *         .setBootstrapServers("localhost:9092")
 *         .setTopics("flights")
 *         .setGroupId("delays")
 *         .setStartingOffsets(OffsetsInitializer.earliest())
 *         .setValueOnlyDeserializer(new SimpleStringSchema())
 *         .build();
 * env.fromSource(source, WatermarkStrategy.forMonotonousTimestamps(), "flights");
 * }</pre>
 *
 * <p>Each record is emitted with its Kafka timestamp. Across a failure every record is emitted
 * exactly once into Flink's state; the consumer group is written for others to look at, and is read
 * only to find the start. Immutable.
 *
 * @param <T> type of the elements
 */
public final class KorpseSource<T>
    implements Source<T, KorpseSplit, EnumeratorState>,
        ResultTypeQueryable<T>,
        LineageVertexProvider {

  private static final long serialVersionUID = 1L;

  private final Subscription subscription;
  private final OffsetRules rules;
  private final KafkaRecordDeserializationSchema<T> schema;
  private final SourceSettings settings;

  KorpseSource(
      Subscription subscription,
      OffsetRules rules,
      KafkaRecordDeserializationSchema<T> schema,
      SourceSettings settings) {
    this.subscription = subscription;
    this.rules = rules;
    this.schema = schema;
    this.settings = settings;
  }

  /**
   * A builder with nothing set.
   *
   * @param <T> type of the elements
   */
  public static <T> KorpseSourceBuilder<T> builder() {
    return new KorpseSourceBuilder<>();
  }

  @Override
  public Boundedness getBoundedness() {
    return settings.boundedness();
  }

  @Override
  public SourceReader<T, KorpseSplit> createReader(SourceReaderContext context) throws Exception {
    boolean keep = settings.onUnsubscribed() == UnsubscribedPolicy.KEEP;
    return KorpseReaders.create(
        context, schema, settings, partition -> keep || subscription.mayWant(partition));
  }

  @Override
  public SplitEnumerator<KorpseSplit, EnumeratorState> createEnumerator(
      SplitEnumeratorContext<KorpseSplit> context) {
    return enumerator(context, null);
  }

  @Override
  public SplitEnumerator<KorpseSplit, EnumeratorState> restoreEnumerator(
      SplitEnumeratorContext<KorpseSplit> context, EnumeratorState state) {
    return enumerator(context, state);
  }

  private KorpseEnumerator enumerator(
      SplitEnumeratorContext<KorpseSplit> context, @Nullable EnumeratorState state) {
    return KorpseEnumerator.create(
        context, settings, subscription, rules, state, new SteadyClock(Clock.systemUTC()));
  }

  @Override
  public SimpleVersionedSerializer<KorpseSplit> getSplitSerializer() {
    return new KorpseSplitSerializer();
  }

  @Override
  public SimpleVersionedSerializer<EnumeratorState> getEnumeratorCheckpointSerializer() {
    return new EnumeratorStateSerializer();
  }

  @Override
  public TypeInformation<T> getProducedType() {
    return schema.getProducedType();
  }

  /** The topics and the cluster, for lineage listeners; no configuration is part of it. */
  @Override
  public LineageVertex getLineageVertex() {
    return KorpseLineage.of(settings, subscription, schema.getProducedType());
  }

  /** What was decided, for tests. */
  SourceSettings settings() {
    return settings;
  }

  OffsetRules rules() {
    return rules;
  }

  Subscription subscription() {
    return subscription;
  }

  @Override
  public String toString() {
    return "KorpseSource[" + subscription.describe() + "]";
  }
}
