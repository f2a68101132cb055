package io.korpse.flink.source.reader.proxy;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;

/**
 * Stands for what the consumer cannot read: a damaged batch, or a damaged record in one. It has the
 * coordinates of the first offset that is lost, and neither key, value nor timestamp. Immutable.
 */
public final class UnreadableRecord extends ConsumerRecord<byte[], byte[]> {

  private final long nextOffset;
  private final KafkaException cause;

  UnreadableRecord(SplitBuffer split, long nextOffset, KafkaException cause) {
    super(
        split.partition().topic(), split.partition().partition(), split.fetchOffset(), null, null);
    this.nextOffset = nextOffset;
    this.cause = cause;
  }

  /** Where reading goes on: the offsets before it, from this record's own, are left out. */
  public long nextOffset() {
    return nextOffset;
  }

  /** What the consumer said. */
  public KafkaException cause() {
    return cause;
  }
}
