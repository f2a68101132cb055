package io.korpse.flink.jobs.bench;

import org.apache.flink.api.connector.sink2.SinkWriter;

/**
 * How long records of a {@link Load} were under way, from some seconds after the first of them,
 * when what had piled up before is gone. One thread emits.
 */
final class LatencyProbe implements RecordProbe<byte[]> {

  private final long beforeMicros;
  private final long measuredMicros;
  private final Samples millis = new Samples();
  private long begin;
  private long end;
  private volatile boolean finished;

  LatencyProbe(double secondsBefore, double seconds) {
    this.beforeMicros = (long) (secondsBefore * 1e6);
    this.measuredMicros = (long) (seconds * 1e6);
  }

  @Override
  public void accept(byte[] value, SinkWriter.Context context) {
    long now = Load.nowMicros();
    if (end == 0) {
      begin = now + beforeMicros;
      end = begin + measuredMicros;
    }
    if (now >= end) {
      finished = true;
    } else if (now >= begin) {
      millis.add((now - Load.sentMicros(value)) / 1e3);
    }
  }

  boolean finished() {
    return finished;
  }

  /** To be read when it has finished. */
  Figures figures() {
    return new Figures()
        .put("latencyMillisP50", millis.percentile(0.50))
        .put("latencyMillisP99", millis.percentile(0.99))
        .put("latencyMillisP999", millis.percentile(0.999));
  }
}
