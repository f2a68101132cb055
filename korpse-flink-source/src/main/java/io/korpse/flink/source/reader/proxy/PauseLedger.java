package io.korpse.flink.source.reader.proxy;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * What is paused and why, and what of it the consumer has been told.
 *
 * <p>Only differences are sent to the consumer: the cost of a step follows what changed, not the
 * number of splits. Confined to the fetcher thread; the totals may be read from any thread.
 */
@SuppressWarnings("EnumOrdinal") // the reasons index arrays
class PauseLedger {

  /** What the consumer was told by one call. */
  record Delta(List<TopicPartition> paused, List<TopicPartition> resumed) {
    static final Delta NONE = new Delta(List.of(), List.of());
  }

  /** The reasons of one split. */
  static final class Entry {
    private final TopicPartition partition;
    private final long[] since = new long[PauseReason.values().length];

    /** Written by the fetcher thread; a metric of the split reads it, too. */
    private volatile int reasons;

    private boolean applied;
    private boolean listed;
    private boolean forgotten;

    Entry(TopicPartition partition) {
      this.partition = partition;
    }

    boolean has(PauseReason reason) {
      return (reasons & reason.bit()) != 0;
    }

    boolean paused() {
      return reasons != 0;
    }

    /** The bits of the reasons. Any thread. */
    int reasons() {
      return reasons;
    }

    /** Whether the consumer was told to pause the split, and not to resume it. */
    boolean isPausedInConsumer() {
      return applied;
    }
  }

  private final PauseTimes times;
  private final List<Entry> changed = new ArrayList<>();
  private int paused;

  PauseLedger(PauseTimes times) {
    this.times = times;
  }

  /** Adds a reason; returns whether it is new. */
  boolean add(Entry entry, PauseReason reason, long nowNanos) {
    if (entry.has(reason)) {
      return false;
    }
    entry.since[reason.index()] = nowNanos;
    set(entry, entry.reasons | reason.bit());
    return true;
  }

  /** Takes a reason away; returns whether it was there. */
  boolean remove(Entry entry, PauseReason reason, long nowNanos) {
    if (!entry.has(reason)) {
      return false;
    }
    times.add(reason, nowNanos - entry.since[reason.index()]);
    set(entry, entry.reasons & ~reason.bit());
    return true;
  }

  private void set(Entry entry, int reasons) {
    if (entry.reasons == 0 && reasons != 0) {
      paused++;
      times.splitPaused(1);
    } else if (entry.reasons != 0 && reasons == 0) {
      paused--;
      times.splitPaused(-1);
    }
    entry.reasons = reasons;
    list(entry);
  }

  private void list(Entry entry) {
    if (!entry.listed && entry.applied != entry.paused()) {
      entry.listed = true;
      changed.add(entry);
    }
  }

  /** Splits of this proxy that are paused. */
  int pausedCount() {
    return paused;
  }

  /** The consumer lost what it was told about the split, as after a new assignment of it. */
  void reassigned(Entry entry) {
    entry.applied = false;
    list(entry);
  }

  /** The split left the consumer: its reasons end. */
  void forget(Entry entry, long nowNanos) {
    for (PauseReason reason : PauseReason.values()) {
      remove(entry, reason, nowNanos);
    }
    entry.forgotten = true;
  }

  /** Tells the consumer what changed, and returns it. */
  Delta apply(Consumer<?, ?> consumer) {
    if (changed.isEmpty()) {
      return Delta.NONE;
    }
    List<TopicPartition> pause = new ArrayList<>();
    List<TopicPartition> resume = new ArrayList<>();
    for (Entry entry : changed) {
      entry.listed = false;
      if (entry.forgotten || entry.applied == entry.paused()) {
        continue;
      }
      entry.applied = entry.paused();
      (entry.applied ? pause : resume).add(entry.partition);
    }
    changed.clear();
    if (!pause.isEmpty()) {
      consumer.pause(pause);
    }
    if (!resume.isEmpty()) {
      consumer.resume(resume);
    }
    return new Delta(pause, resume);
  }
}
