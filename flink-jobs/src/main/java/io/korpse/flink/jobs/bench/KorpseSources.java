package io.korpse.flink.jobs.bench;

import io.korpse.flink.source.KorpseSource;
import io.korpse.flink.source.KorpseSourceBuilder;
import io.korpse.flink.source.OffsetsInitializer;
import io.korpse.flink.source.RecordOrder;
import io.korpse.flink.source.deserializer.KafkaRecordDeserializationSchema;
import java.io.IOException;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Builds Korpse with its default options, apart from the order that is asked for. */
final class KorpseSources {

  private KorpseSources() {}

  static <T> KorpseSource<T> create(ReadPlan<T> plan, RecordOrder order) {
    KorpseSourceBuilder<T> builder =
        KorpseSource.<T>builder()
            .setBootstrapServers(plan.bootstrap())
            .setGroupId(plan.groupId())
            .setStartingOffsets(OffsetsInitializer.earliest())
            .setDeserializer(schema(plan.decoding()))
            .setOrder(order)
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

  static <T> KafkaRecordDeserializationSchema<T> schema(Decoding<T> decoding) {
    if (decoding instanceof Decoding.Value<T> value) {
      return KafkaRecordDeserializationSchema.valueOnly(value.schema());
    }
    return new WholeRecord<>(decoding);
  }

  private record WholeRecord<T>(Decoding<T> decoding)
      implements KafkaRecordDeserializationSchema<T> {

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<T> out)
        throws IOException {
      out.collect(decoding.decode(record));
    }

    @Override
    public TypeInformation<T> getProducedType() {
      return decoding.type();
    }
  }
}
