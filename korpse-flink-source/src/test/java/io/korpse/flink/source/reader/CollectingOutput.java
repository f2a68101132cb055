package io.korpse.flink.source.reader;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;

/** Keeps what a reader emits, in order. */
final class CollectingOutput<T> implements ReaderOutput<T> {

  final List<T> elements = new ArrayList<>();
  final List<Long> timestamps = new ArrayList<>();
  final List<String> released = new ArrayList<>();

  @Override
  public void collect(T element) {
    collect(element, Long.MIN_VALUE);
  }

  @Override
  public void collect(T element, long timestamp) {
    elements.add(element);
    timestamps.add(timestamp);
  }

  @Override
  public void emitWatermark(Watermark watermark) {}

  @Override
  public void markIdle() {}

  @Override
  public void markActive() {}

  @Override
  public SourceOutput<T> createOutputForSplit(String splitId) {
    return this;
  }

  @Override
  public void releaseOutputForSplit(String splitId) {
    released.add(splitId);
  }
}
