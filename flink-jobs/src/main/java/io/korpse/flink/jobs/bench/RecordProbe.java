package io.korpse.flink.jobs.bench;

import org.apache.flink.api.connector.sink2.SinkWriter;

/** Sees every record that a source emits, on the thread that emits. */
@FunctionalInterface
interface RecordProbe<T> {

  /** Blocks for as long as the sink is meant to be busy. */
  void accept(T value, SinkWriter.Context context) throws InterruptedException;
}
