package io.korpse.flink.source.reader.proxy;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** Split buffers with records for tests; every record weighs {@link #WEIGHT}. */
final class Buffers {

  static final int WEIGHT = 100;
  static final int EPOCH = 3;

  private Buffers() {}

  /** The empty buffer of partition {@code number}, read from offset 0. */
  static SplitBuffer empty(int number) {
    return endingAt(number, KorpseSplit.NO_STOP_OFFSET);
  }

  static SplitBuffer endingAt(int number, long stopOffset) {
    return with(number, stopOffset, record -> WEIGHT);
  }

  /** The empty buffer of partition {@code number} whose records weigh what is said. */
  static SplitBuffer weighing(int number, RecordWeigher weigher) {
    return with(number, KorpseSplit.NO_STOP_OFFSET, weigher);
  }

  private static SplitBuffer with(int number, long stopOffset, RecordWeigher weigher) {
    KorpseSplit split =
        new KorpseSplit(
            new TopicPartition("t", number),
            new Position(0, Position.NO_EPOCH),
            stopOffset,
            Uuid.ZERO_UUID,
            false);
    return new SplitBuffer(split, (offset, epoch) -> {}, end -> {}, new SplitStats(), weigher);
  }

  /** A buffer with one record for each timestamp. */
  static SplitBuffer with(int number, long... timestamps) {
    SplitBuffer buffer = empty(number);
    add(buffer, timestamps);
    return buffer;
  }

  /** Appends one record for each timestamp, as one poll. */
  static void add(SplitBuffer buffer, long... timestamps) {
    List<ConsumerRecord<byte[], byte[]>> records = records(buffer, timestamps);
    buffer.append(records, buffer.fetchOffset() + timestamps.length, EPOCH);
  }

  static List<ConsumerRecord<byte[], byte[]>> records(SplitBuffer buffer, long... timestamps) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (long timestamp : timestamps) {
      records.add(
          new ConsumerRecord<>(
              "t",
              buffer.partition().partition(),
              buffer.fetchOffset() + records.size(),
              timestamp,
              TimestampType.CREATE_TIME,
              -1,
              0,
              null,
              new byte[0],
              new RecordHeaders(),
              Optional.of(EPOCH)));
    }
    return records;
  }

  /** A batch that takes up to {@code records} records. */
  static HandoverBatch batch(int records) {
    return new HandoverBatch(records, Long.MAX_VALUE, null);
  }
}
