package io.korpse.flink.source.reader.proxy;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.SerializationException;

/** What one response holds of one partition, and how far it has been read. */
final class SimFetch {

  private final TopicPartition partition;
  private final SimFetchResponse response;
  private final SimFetchResponse.Data data;
  private final Iterator<SimBatch> batches;
  private final boolean readCommitted;
  private SimBatch batch;
  private Iterator<SimRecord> records;
  private SimRecord unparsed;
  private long nextOffset;
  private boolean consumed;
  private boolean initialized;
  private boolean gaveRecords;

  SimFetch(
      TopicPartition partition,
      SimFetchResponse response,
      SimFetchResponse.Data data,
      long offset,
      boolean readCommitted) {
    this.partition = partition;
    this.response = response;
    this.data = data;
    this.batches = data.batches().iterator();
    this.nextOffset = offset;
    this.readCommitted = readCommitted;
  }

  TopicPartition partition() {
    return partition;
  }

  SimFetchResponse response() {
    return response;
  }

  SimFetchResponse.Data data() {
    return data;
  }

  long nextOffset() {
    return nextOffset;
  }

  Optional<Integer> lastEpoch() {
    return batch == null ? Optional.empty() : Optional.of(batch.leaderEpoch());
  }

  boolean isConsumed() {
    return consumed;
  }

  boolean isInitialized() {
    return initialized;
  }

  void setInitialized() {
    initialized = true;
  }

  /** Whether it had records for the user, which sends the partition to the end of the order. */
  boolean gaveRecords() {
    return gaveRecords;
  }

  void drain() {
    consumed = true;
    unparsed = null;
  }

  /** Reads up to {@code max} records; a record that cannot be parsed is met again by each call. */
  List<ConsumerRecord<byte[], byte[]>> read(
      int max, BiFunction<SimRecord, SimBatch, ConsumerRecord<byte[], byte[]>> parser) {
    List<ConsumerRecord<byte[], byte[]>> read = new ArrayList<>();
    if (consumed) {
      return read;
    }
    try {
      for (int i = 0; i < max; i++) {
        if (unparsed == null) {
          unparsed = next();
        }
        if (unparsed == null) {
          break;
        }
        read.add(parser.apply(unparsed, batch));
        gaveRecords = true;
        nextOffset = unparsed.offset() + 1;
        unparsed = null;
      }
    } catch (SerializationException e) {
      if (read.isEmpty()) {
        throw e;
      }
    } catch (KafkaException e) {
      if (read.isEmpty()) {
        throw new KafkaException("Received exception when reading from " + partition, e);
      }
    }
    return read;
  }

  private SimRecord next() {
    while (true) {
      while (records != null && records.hasNext()) {
        SimRecord record = records.next();
        if (record.offset() < nextOffset) {
          continue;
        }
        if (batch.kind() != SimBatch.Kind.CONTROL) {
          return record;
        }
        nextOffset = record.offset() + 1;
      }
      records = null;
      if (!batches.hasNext()) {
        if (batch != null) {
          nextOffset = batch.nextOffset();
        }
        consumed = true;
        return null;
      }
      batch = batches.next();
      if (readCommitted && batch.kind() == SimBatch.Kind.ABORTED) {
        nextOffset = batch.nextOffset();
      } else {
        records = batch.records().iterator();
      }
    }
  }
}
