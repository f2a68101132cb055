package io.korpse.flink.source.enumerator.event;

import org.apache.flink.api.connector.source.SourceEvent;

/**
 * Enumerator to reader: all partitions that are known have been given away, and none of them is
 * with this reader. Without a split it has no watermark, and would hold back those of the others if
 * it did not say that it is idle.
 */
public final class NothingToReadEvent implements SourceEvent {

  private static final long serialVersionUID = 1L;

  @Override
  public String toString() {
    return "NothingToRead";
  }
}
