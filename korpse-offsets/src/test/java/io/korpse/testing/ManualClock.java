package io.korpse.testing;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that moves only when a test says so. Thread-safe. */
public final class ManualClock extends Clock {

  private final AtomicLong millis;

  /** A clock that stands at the given time. */
  public ManualClock(long epochMillis) {
    this.millis = new AtomicLong(epochMillis);
  }

  /** Moves on. */
  public ManualClock advance(Duration duration) {
    millis.addAndGet(duration.toMillis());
    return this;
  }

  @Override
  public long millis() {
    return millis.get();
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }
}
