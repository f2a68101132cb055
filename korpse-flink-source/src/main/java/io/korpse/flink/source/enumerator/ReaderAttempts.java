package io.korpse.flink.source.enumerator;

import io.korpse.flink.source.split.KorpseSplit;
import java.util.Map;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;

/**
 * Reaches readers. Under the speculative execution of batch jobs a reader may have several attempts
 * at once, which all read the same splits until one of them is through, and all of them are told.
 * Confined to the coordinator thread.
 */
final class ReaderAttempts {

  private final SplitEnumeratorContext<KorpseSplit> context;
  private boolean concurrent;

  ReaderAttempts(SplitEnumeratorContext<KorpseSplit> context) {
    this.context = context;
  }

  /** Flink has said that there may be several attempts of a reader at once. */
  void concurrent() {
    concurrent = true;
  }

  boolean areConcurrent() {
    return concurrent;
  }

  boolean isRegistered(int reader, int attempt) {
    return context
        .registeredReadersOfAttempts()
        .getOrDefault(reader, Map.of())
        .containsKey(attempt);
  }

  /** Tells a reader, in all its attempts. */
  void send(int reader, SourceEvent event) {
    if (concurrent) {
      context
          .registeredReadersOfAttempts()
          .getOrDefault(reader, Map.of())
          .keySet()
          .forEach(attempt -> context.sendEventToSourceReader(reader, attempt, event));
    } else {
      context.sendEventToSourceReader(reader, event);
    }
  }
}
