package io.korpse.flink.jobs.bench;

import java.util.concurrent.TimeUnit;

/** Asks a question at fixed intervals until a moment. */
final class Deadline {

  private final long end;

  private Deadline(long end) {
    this.end = end;
  }

  static Deadline inSeconds(double seconds) {
    return new Deadline(System.nanoTime() + (long) (seconds * 1e9));
  }

  boolean over() {
    return System.nanoTime() - end >= 0;
  }

  /** Waits for {@code millis}, or until the moment if that is sooner. */
  void pause(long millis) throws InterruptedException {
    long left = end - System.nanoTime();
    if (left > 0) {
      TimeUnit.NANOSECONDS.sleep(Math.min(left, TimeUnit.MILLISECONDS.toNanos(millis)));
    }
  }
}
