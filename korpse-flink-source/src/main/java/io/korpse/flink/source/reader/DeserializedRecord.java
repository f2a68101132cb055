package io.korpse.flink.source.reader;

import java.util.List;
import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * A record that the fetcher thread has deserialized: its coordinates, and in place of key, value
 * and headers what the schema made of them. Immutable; made on the fetcher thread, read on the task
 * thread.
 */
final class DeserializedRecord extends ConsumerRecord<byte[], byte[]> {

  private static final RecordHeaders NO_HEADERS = new RecordHeaders();

  static {
    NO_HEADERS.setReadOnly();
  }

  private final List<?> elements;
  @Nullable private final Failure failure;

  /** What the schema threw after it had given the elements, and the record as it came. */
  record Failure(ConsumerRecord<byte[], byte[]> record, Exception cause) {}

  DeserializedRecord(
      ConsumerRecord<byte[], byte[]> from, List<?> elements, @Nullable Failure failure) {
    super(
        from.topic(),
        from.partition(),
        from.offset(),
        from.timestamp(),
        from.timestampType(),
        NULL_SIZE,
        NULL_SIZE,
        null,
        null,
        NO_HEADERS,
        from.leaderEpoch(),
        Optional.empty());
    this.elements = elements;
    this.failure = failure;
  }

  List<?> elements() {
    return elements;
  }

  @Nullable
  Failure failure() {
    return failure;
  }
}
