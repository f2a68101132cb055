package io.korpse.flink.jobs.bench;

import java.util.concurrent.TimeUnit;

/** Lets events happen at a steady rate on the calling thread. Confined to one thread. */
final class Pace {

  private static final long SLACK_NANOS = 1_000_000;

  private final double nanosPerEvent;
  private long start;
  private long events;

  /**
   * @param perSecond events per second
   */
  Pace(double perSecond) {
    this.nanosPerEvent = 1e9 / perSecond;
  }

  /**
   * Returns when the next event is due; late events are not made up for beyond the slack of a
   * second.
   */
  void await() throws InterruptedException {
    long now = System.nanoTime();
    if (events == 0 || now - due() > 1_000_000_000L) {
      start = now;
      events = 0;
    }
    events++;
    long ahead = due() - now;
    if (ahead > SLACK_NANOS) {
      TimeUnit.NANOSECONDS.sleep(ahead);
    }
  }

  private long due() {
    return start + (long) (events * nanosPerEvent);
  }
}
