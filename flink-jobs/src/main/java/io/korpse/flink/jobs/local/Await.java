package io.korpse.flink.jobs.local;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Waits for a condition by asking again and again. */
public final class Await {

  private static final long PAUSE_MILLIS = 100;

  private Await() {}

  /**
   * Asks until the answer is true.
   *
   * @param what the wanted state, for the error
   * @param atMost how long to ask
   * @param condition the question; what it throws ends the wait
   * @throws IllegalStateException when time is up
   */
  public static void until(String what, Duration atMost, Callable<Boolean> condition) {
    long deadline = System.nanoTime() + atMost.toNanos();
    try {
      while (!condition.call()) {
        if (System.nanoTime() - deadline > 0) {
          throw new IllegalStateException(
              "Waited " + atMost.toSeconds() + " s in vain for " + what);
        }
        Thread.sleep(PAUSE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while waiting for " + what, e);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("While waiting for " + what, e);
    }
  }
}
