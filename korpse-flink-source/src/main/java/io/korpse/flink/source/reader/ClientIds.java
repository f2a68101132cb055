package io.korpse.flink.source.reader;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Client ids that differ within a process, as the metrics of Kafka's clients want it: a restarted
 * task may overlap the one that is closing, and jobs of one TaskManager, each with this class
 * loaded for itself, may have the same prefix. Thread-safe.
 */
final class ClientIds {

  private static final String LOADED =
      String.format("%06x", ThreadLocalRandom.current().nextInt(1 << 24));

  private static final AtomicLong READERS = new AtomicLong();

  private ClientIds() {}

  /** The id of another reader. */
  static String next(String prefix, int subtask) {
    return prefix + "-" + subtask + "-" + LOADED + "-" + READERS.getAndIncrement();
  }
}
