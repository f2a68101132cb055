package io.korpse.flink.source;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;

/**
 * The user's code in the reading part of the source.
 *
 * @param consumerFactory makes consumers
 * @param recordHook looks at records before they are buffered; null for none
 * @param recordSize weighs records; null for the heap that they take
 */
public record Extensions(
    KafkaConsumerFactory consumerFactory,
    @Nullable RecordHook recordHook,
    @Nullable RecordSize recordSize)
    implements Serializable {

  /** None. */
  public static final Extensions NONE = new Extensions(KafkaConsumerFactory.STANDARD, null, null);

  Extensions with(KafkaConsumerFactory factory) {
    return new Extensions(factory, recordHook, recordSize);
  }

  Extensions with(RecordHook hook) {
    return new Extensions(consumerFactory, hook, recordSize);
  }

  Extensions with(RecordSize size) {
    return new Extensions(consumerFactory, recordHook, size);
  }

  /** Whether records are looked at whole, whatever the schema reads of them. */
  public boolean readsWholeRecords() {
    return recordHook != null || recordSize != null;
  }

  /** What is there, for the check that it can be serialized. */
  List<Object> parts() {
    List<Object> parts = new ArrayList<>(List.of(consumerFactory));
    if (recordHook != null) {
      parts.add(recordHook);
    }
    if (recordSize != null) {
      parts.add(recordSize);
    }
    return parts;
  }
}
