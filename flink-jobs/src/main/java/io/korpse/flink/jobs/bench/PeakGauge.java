package io.korpse.flink.jobs.bench;

import java.util.OptionalDouble;
import java.util.concurrent.locks.LockSupport;

/** The greatest value of a gauge, sampled every 20 ms on a thread of its own. */
final class PeakGauge implements AutoCloseable {

  private static final long INTERVAL_NANOS = 20_000_000;

  private final String suffix;
  private final Thread sampler = new Thread(this::sample, "gauge-sampler");
  private volatile boolean closed;
  private volatile double peak = Double.NaN;

  private PeakGauge(String suffix) {
    this.suffix = suffix;
  }

  static PeakGauge start(String suffix) {
    PeakGauge gauge = new PeakGauge(suffix);
    gauge.sampler.setDaemon(true);
    gauge.sampler.start();
    return gauge;
  }

  private void sample() {
    while (!closed) {
      OptionalDouble value = GaugeReporter.sum(suffix);
      if (value.isPresent()) {
        peak = Double.isNaN(peak) ? value.getAsDouble() : Math.max(peak, value.getAsDouble());
      }
      LockSupport.parkNanos(INTERVAL_NANOS);
    }
  }

  /** Empty if no source had such a gauge. */
  OptionalDouble peak() {
    double value = peak;
    return Double.isNaN(value) ? OptionalDouble.empty() : OptionalDouble.of(value);
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(sampler);
  }
}
