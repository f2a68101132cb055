package io.korpse.flink.source.reader;

import io.korpse.flink.source.TombstonePolicy;
import io.korpse.flink.source.deserializer.KafkaRecordDeserializationSchema;
import java.io.IOException;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.connector.base.source.reader.RecordEmitter;
import org.apache.flink.metrics.Counter;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Deserializes a record, emits it with its Kafka timestamp and moves the position. Task thread. */
final class KorpseRecordEmitter<T>
    implements RecordEmitter<ConsumerRecord<byte[], byte[]>, T, KorpseSplitState> {

  private final KafkaRecordDeserializationSchema<T> schema;
  private final TombstonePolicy tombstones;
  private final BadRecords badRecords;
  private final Counter tombstonesSkipped;
  private final RecordCollector<T> collector = new RecordCollector<>();

  KorpseRecordEmitter(
      KafkaRecordDeserializationSchema<T> schema,
      TombstonePolicy tombstones,
      BadRecords badRecords,
      Counter tombstonesSkipped) {
    this.schema = schema;
    this.tombstones = effective(tombstones, schema);
    this.badRecords = badRecords;
    this.tombstonesSkipped = tombstonesSkipped;
  }

  private static TombstonePolicy effective(
      TombstonePolicy chosen, KafkaRecordDeserializationSchema<?> schema) {
    if (chosen != TombstonePolicy.AUTO) {
      return chosen;
    }
    return schema.readsTombstones() ? TombstonePolicy.PASS : TombstonePolicy.SKIP;
  }

  @Override
  public void emitRecord(
      ConsumerRecord<byte[], byte[]> record, SourceOutput<T> output, KorpseSplitState state)
      throws Exception {
    if (record.offset() >= state.stopOffset()) {
      // Was handed over before a record, or the enumerator, ended the split.
      return;
    }
    if (record.value() == null && tombstones != TombstonePolicy.PASS) {
      onTombstone(record);
    } else {
      collector.begin(output, record.timestamp());
      try {
        schema.deserialize(record, collector);
      } catch (Exception e) {
        if (collector.outputFailed()) {
          throw e;
        }
        badRecords.on(record, e);
      }
    }
    state.emitted(record);
  }

  private void onTombstone(ConsumerRecord<byte[], byte[]> record) throws Exception {
    if (tombstones == TombstonePolicy.SKIP) {
      tombstonesSkipped.inc();
    } else {
      badRecords.on(record, new IOException("The record has no value"));
    }
  }
}
