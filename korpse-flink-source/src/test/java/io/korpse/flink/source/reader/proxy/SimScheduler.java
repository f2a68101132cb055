package io.korpse.flink.source.reader.proxy;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.function.LongSupplier;

/**
 * Virtual time, in nanoseconds, and the events that are due in it. Time moves only when someone
 * waits. Events of the same instant run in the order in which they were added.
 */
final class SimScheduler implements LongSupplier {

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long now;
  private long sequence;

  /** The virtual time. */
  @Override
  public long getAsLong() {
    return now;
  }

  /** Runs an action at a time, or as soon as anyone waits if that time is over. */
  void at(long nanos, Runnable action) {
    events.add(new Event(nanos, sequence++, action));
  }

  /** Runs an action after a delay. */
  void after(Duration delay, Runnable action) {
    at(now + delay.toNanos(), action);
  }

  /** Runs an action after a delay in nanoseconds. */
  void afterNanos(long delay, Runnable action) {
    at(now + delay, action);
  }

  /** Time of the next event, {@link Long#MAX_VALUE} if there is none. */
  long nextEvent() {
    Event next = events.peek();
    return next == null ? Long.MAX_VALUE : next.nanos;
  }

  /**
   * Runs the next event that is due at or before a time and moves the clock to it.
   *
   * @return false when there was none; the clock then is at {@code until}
   */
  boolean runNext(long until) {
    Event next = events.peek();
    if (next == null || next.nanos > until) {
      now = Math.max(now, until);
      return false;
    }
    events.remove();
    now = Math.max(now, next.nanos);
    next.action.run();
    return true;
  }

  /** Runs everything that is due within a duration and moves the clock by it. */
  void advance(Duration duration) {
    long until = now + duration.toNanos();
    while (runNext(until)) {
      // the next one
    }
  }

  private record Event(long nanos, long sequence, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return nanos != other.nanos
          ? Long.compare(nanos, other.nanos)
          : Long.compare(sequence, other.sequence);
    }
  }
}
