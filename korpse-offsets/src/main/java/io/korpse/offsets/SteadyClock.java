package io.korpse.offsets;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The time since 1970 as it was when the clock was made, and from then on what has passed: it never
 * goes back and never jumps. For waits and ages, which a correction of the system's time would make
 * last or look wrong for as long as the correction is. Thread-safe.
 */
public final class SteadyClock extends Clock {

  private final LongSupplier nanos;
  private final long startNanos;
  private final long startMillis;

  /** A clock that agrees with another one now. */
  public SteadyClock(Clock start) {
    this(start.millis(), System::nanoTime);
  }

  SteadyClock(long startMillis, LongSupplier nanos) {
    this.nanos = nanos;
    this.startNanos = nanos.getAsLong();
    this.startMillis = startMillis;
  }

  @Override
  public long millis() {
    return startMillis + TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong() - startNanos);
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  /** This clock, whose zone matters to nobody. */
  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }
}
