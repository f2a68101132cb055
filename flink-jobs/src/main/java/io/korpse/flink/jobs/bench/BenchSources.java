package io.korpse.flink.jobs.bench;

import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.RecordOrder;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Builds the Flink sources that are compared. */
final class BenchSources {

  private BenchSources() {}

  static <T> Source<T, ?, ?> create(SourceKind kind, ReadPlan<T> plan) {
    return switch (kind) {
      case KAFKA_SOURCE -> kafkaSource(plan);
      case KORPSE_EARLY ->
          KorpseSources.create(
              plan.withProperty(KorpseSourceOptions.DESERIALIZE_ON_FETCHER.key(), "true"),
              RecordOrder.EVENT_TIME);
      case KORPSE_2 -> KorpseSources.create(two(plan), RecordOrder.EVENT_TIME);
      case KORPSE_2_EARLY ->
          KorpseSources.create(
              two(plan).withProperty(KorpseSourceOptions.DESERIALIZE_ON_FETCHER.key(), "true"),
              RecordOrder.EVENT_TIME);
      case KORPSE -> KorpseSources.create(plan, RecordOrder.EVENT_TIME);
      case KORPSE_FAIR -> KorpseSources.create(plan, RecordOrder.FAIR);
      case RAW, FLINK ->
          throw new IllegalArgumentException("'%s' is no Flink source.".formatted(kind.label()));
    };
  }

  private static <T> ReadPlan<T> two(ReadPlan<T> plan) {
    return plan.withProperty(KorpseSourceOptions.READER_CONSUMERS.key(), "2");
  }

  private static <T> KafkaSource<T> kafkaSource(ReadPlan<T> plan) {
    KafkaSourceBuilder<T> builder =
        KafkaSource.<T>builder()
            .setBootstrapServers(plan.bootstrap())
            .setGroupId(plan.groupId())
            .setStartingOffsets(OffsetsInitializer.earliest())
            .setDeserializer(schema(plan.decoding()))
            .setProperties(plan.properties());
    if (plan.partitions().isEmpty()) {
      builder.setTopics(plan.topic());
    } else {
      builder.setPartitions(plan.partitions());
    }
    if (plan.bounded()) {
      builder.setBounded(OffsetsInitializer.latest());
    }
    return builder.build();
  }

  private static <T> KafkaRecordDeserializationSchema<T> schema(Decoding<T> decoding) {
    if (decoding instanceof Decoding.Value<T> value) {
      return KafkaRecordDeserializationSchema.valueOnly(value.schema());
    }
    return new WholeRecord<>(decoding);
  }

  private record WholeRecord<T>(Decoding<T> decoding)
      implements KafkaRecordDeserializationSchema<T> {

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<T> out)
        throws java.io.IOException {
      out.collect(decoding.decode(record));
    }

    @Override
    public TypeInformation<T> getProducedType() {
      return decoding.type();
    }
  }
}
