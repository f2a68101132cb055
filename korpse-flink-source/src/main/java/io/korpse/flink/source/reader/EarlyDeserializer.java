package io.korpse.flink.source.reader;

import io.korpse.flink.source.deserializer.KafkaRecordDeserializationSchema;
import io.korpse.flink.source.reader.proxy.HandoverBatch;
import io.korpse.flink.source.reader.proxy.UnreadableRecord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Deserializes a batch on the fetcher thread, just before it is handed over.
 *
 * <p>What is buffered stays raw, with the weight of its bytes; only the few batches that are out
 * hold elements. Everything that is seen from outside, as counters, handlers and the output, stays
 * with the task thread: a failure travels with its record, and a record without a value that the
 * schema is not to see stays as it came.
 */
final class EarlyDeserializer<T> implements Consumer<HandoverBatch> {

  private final KafkaRecordDeserializationSchema<T> schema;
  private final boolean passTombstones;
  private final Elements<T> elements = new Elements<>();

  EarlyDeserializer(KafkaRecordDeserializationSchema<T> schema, boolean passTombstones) {
    this.schema = schema;
    this.passTombstones = passTombstones;
  }

  /** Synchronized, since after an idle time a new fetcher may overlap the one that is closing. */
  @Override
  public synchronized void accept(HandoverBatch batch) {
    batch.replaceRecords(this::read);
  }

  private ConsumerRecord<byte[], byte[]> read(ConsumerRecord<byte[], byte[]> record) {
    boolean tombstone = record.value() == null;
    if (record instanceof UnreadableRecord || (tombstone && !passTombstones)) {
      return record;
    }
    DeserializedRecord.Failure failure = null;
    try {
      schema.deserialize(record, elements);
    } catch (Exception e) {
      failure = new DeserializedRecord.Failure(record, e);
    }
    return new DeserializedRecord(record, elements.take(), failure);
  }

  /** Most records give one element, which needs no growing list. */
  private static final class Elements<T> implements Collector<T> {

    private List<T> collected = List.of();

    @Override
    public void collect(T element) {
      if (collected.isEmpty()) {
        collected = Collections.singletonList(element);
      } else {
        if (collected.size() == 1) {
          collected = new ArrayList<>(collected);
        }
        collected.add(element);
      }
    }

    List<T> take() {
      List<T> taken = collected;
      collected = List.of();
      return taken;
    }

    @Override
    public void close() {}
  }
}
