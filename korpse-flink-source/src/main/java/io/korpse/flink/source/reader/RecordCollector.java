package io.korpse.flink.source.reader;

import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.util.Collector;

/**
 * Gives what a schema makes of a record to the output, with the record's timestamp.
 *
 * <p>Remembers a failure of the output itself: with chained operators that is the job's failure and
 * not a bad record. Task thread.
 */
final class RecordCollector<T> implements Collector<T> {

  /** Kafka's sign for a record without a timestamp. */
  private static final long NO_TIMESTAMP = -1;

  private SourceOutput<T> output;
  private long timestamp;
  private boolean outputFailed;

  void begin(SourceOutput<T> recordOutput, long recordTimestamp) {
    // Runs make it the same again and again, and storing a reference can cost a fence.
    if (output != recordOutput) {
      output = recordOutput;
    }
    timestamp = recordTimestamp;
  }

  boolean outputFailed() {
    return outputFailed;
  }

  @Override
  public void collect(T element) {
    boolean done = false;
    try {
      if (timestamp == NO_TIMESTAMP) {
        output.collect(element);
      } else {
        output.collect(element, timestamp);
      }
      done = true;
    } finally {
      if (!done) {
        outputFailed = true;
      }
    }
  }

  @Override
  public void close() {}
}
