package io.korpse.flink.source.reader.proxy;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.Consumer;

/**
 * Ends the wait of the fetcher thread, wherever it waits: inside {@code poll}, or here for a batch
 * to come back.
 *
 * <p>How no wake is lost: a waker first leaves what it has to say (a returned batch, a wish,
 * Flink's wake), then looks where the owner is. The owner first says where it will wait, then looks
 * whether there is something for it. With both under one lock, one of the two sees the other.
 *
 * <p>A wake of a poll may come when that poll has just ended; the consumer then throws from its
 * next poll, which is the only call of the owner that can throw it. So the owner treats a {@code
 * WakeupException} as an empty poll.
 */
final class WakeSignal {

  private enum Place {
    BUSY,
    POLLING,
    POLLING_FOR_RETURNS,
    PARKED,
    WOKEN
  }

  /** How the owner waits for a condition; the time is virtual in a simulation. */
  @FunctionalInterface
  interface Sleeper {
    /** Waits up to {@code nanos}; returns what is left of them. */
    long awaitNanos(Condition condition, long nanos) throws InterruptedException;
  }

  private final Sleeper sleeper;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition woken = lock.newCondition();
  private Place place = Place.BUSY;
  private boolean pending;
  private Consumer<?, ?> polled;

  WakeSignal(Sleeper sleeper) {
    this.sleeper = sleeper;
  }

  /** Something for the owner that must not wait: a wish, a close. Any thread. */
  void wake() {
    lock.lock();
    try {
      pending = true;
      interruptWait();
    } finally {
      lock.unlock();
    }
  }

  /** A batch came back. Ends the wait only of an owner that said it needs this. Any thread. */
  void batchReturned() {
    lock.lock();
    try {
      if (place == Place.PARKED || place == Place.POLLING_FOR_RETURNS) {
        interruptWait();
      }
    } finally {
      lock.unlock();
    }
  }

  private void interruptWait() {
    switch (place) {
      case POLLING, POLLING_FOR_RETURNS -> polled.wakeup();
      case PARKED -> woken.signalAll();
      case BUSY, WOKEN -> {}
    }
    if (place != Place.BUSY) {
      place = Place.WOKEN;
    }
  }

  /**
   * The owner is about to poll.
   *
   * @param forReturns whether a batch that comes back shall end the poll
   * @return false when there is something to do first: then it must not wait
   */
  boolean enterPoll(Consumer<?, ?> consumer, boolean forReturns, ReturnedBatches returns) {
    lock.lock();
    try {
      if (pending || (forReturns && !returns.isEmpty())) {
        return false;
      }
      polled = consumer;
      place = forReturns ? Place.POLLING_FOR_RETURNS : Place.POLLING;
      return true;
    } finally {
      lock.unlock();
    }
  }

  void leavePoll() {
    lock.lock();
    try {
      place = Place.BUSY;
      polled = null;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until something comes, at most {@code nanos}. */
  void park(long nanos, ReturnedBatches returns) throws InterruptedException {
    lock.lock();
    try {
      long left = nanos;
      place = Place.PARKED;
      while (!pending && returns.isEmpty() && place == Place.PARKED && left > 0) {
        left = sleeper.awaitNanos(woken, left);
      }
    } finally {
      place = Place.BUSY;
      lock.unlock();
    }
  }

  /** Whether something was left for the owner since the last call. */
  boolean takePending() {
    lock.lock();
    try {
      boolean was = pending;
      pending = false;
      return was;
    } finally {
      lock.unlock();
    }
  }

  static long nanos(java.time.Duration duration) {
    return TimeUnit.MILLISECONDS.toNanos(duration.toMillis());
  }
}
