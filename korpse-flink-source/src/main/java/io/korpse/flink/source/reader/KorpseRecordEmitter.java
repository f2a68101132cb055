package io.korpse.flink.source.reader;

import io.korpse.flink.source.TombstonePolicy;
import io.korpse.flink.source.deserializer.KafkaRecordDeserializationSchema;
import io.korpse.flink.source.reader.proxy.UnreadableRecord;
import io.korpse.offsets.Position;
import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.connector.base.source.reader.RecordEmitter;
import org.apache.flink.metrics.Counter;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Deserializes a record, unless the fetcher thread has done that, emits it with its Kafka timestamp
 * and moves the position. Task thread.
 */
final class KorpseRecordEmitter<T>
    implements RecordEmitter<ConsumerRecord<byte[], byte[]>, T, KorpseSplitState> {

  private final KafkaRecordDeserializationSchema<T> schema;
  private final TombstonePolicy tombstones;
  private final BadRecords badRecords;
  @Nullable private final RateLimit rateLimit;
  private final Counter tombstonesSkipped;
  private final RecordCollector<T> collector = new RecordCollector<>();

  KorpseRecordEmitter(
      KafkaRecordDeserializationSchema<T> schema,
      TombstonePolicy tombstones,
      BadRecords badRecords,
      @Nullable RateLimit rateLimit,
      Counter tombstonesSkipped) {
    this.schema = schema;
    this.tombstones = tombstones;
    this.badRecords = badRecords;
    this.rateLimit = rateLimit;
    this.tombstonesSkipped = tombstonesSkipped;
  }

  @Override
  public void emitRecord(
      ConsumerRecord<byte[], byte[]> record, SourceOutput<T> output, KorpseSplitState state)
      throws Exception {
    if (record.offset() >= state.stopOffset()) {
      // Was handed over before a record, or the enumerator, ended the split.
      return;
    }
    if (rateLimit != null) {
      rateLimit.emitted();
    }
    if (record instanceof UnreadableRecord unreadable) {
      badRecords.onUnreadable(unreadable);
      state.emitted(record);
      state.moveTo(unreadable.nextOffset(), Position.NO_EPOCH);
      return;
    }
    collector.begin(output, record.timestamp());
    if (record instanceof DeserializedRecord ready) {
      emitReady(ready);
    } else if (record.value() == null && tombstones != TombstonePolicy.PASS) {
      onTombstone(record);
    } else {
      deserialize(record);
    }
    state.emitted(record);
  }

  private void deserialize(ConsumerRecord<byte[], byte[]> record) throws Exception {
    try {
      schema.deserialize(record, collector);
    } catch (Exception e) {
      if (collector.outputFailed()) {
        throw e;
      }
      badRecords.on(record, e);
    }
  }

  @SuppressWarnings("unchecked") // the elements are what this emitter's schema made
  private void emitReady(DeserializedRecord ready) throws Exception {
    for (Object element : ready.elements()) {
      collector.collect((T) element);
    }
    if (ready.failure() != null) {
      badRecords.on(ready.failure().record(), ready.failure().cause());
    }
  }

  private void onTombstone(ConsumerRecord<byte[], byte[]> record) throws Exception {
    if (tombstones == TombstonePolicy.SKIP) {
      tombstonesSkipped.inc();
    } else {
      badRecords.on(record, new IOException("The record has no value"));
    }
  }
}
