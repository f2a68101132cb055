package io.korpse.flink.source.reader.proxy;

import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * Who may fetch when the reader's budget is short.
 *
 * <p>While less than three quarters are used, everyone. Then only splits below their floor, and of
 * the empty ones a window: those with the earliest known time first, or who has been kept out for
 * long, as many as what is left can take, at least one. At the bound nobody, unless nothing that is
 * held could ever be given back: then one, since else records that alignment holds back would keep
 * out the very splits that alignment waits for.
 *
 * <p>All splits are looked at only when the zone changes, and the zones overlap by an eighth of the
 * budget at least, so that the cost follows the bytes that flow. Everyone is let in again only when
 * there is room for a poll of each that was kept out: with thousands of splits a single response
 * would fill the budget, and all of them would be paused and resumed for each. What is caught up
 * brings little, and is not kept out before the bound. Confined to the fetcher thread.
 */
class Admission {

  private enum Zone {
    OPEN,
    SHORT,
    FULL
  }

  /**
   * A split in the window that brings nothing for so long is caught up, or its broker does not
   * answer: it stays open, uncounted, and asks for no place again until it has brought something.
   */
  private static final long QUIET_NANOS = 200_000_000L;

  private final BufferBudget budget;
  private final ProxyLimits limits;
  private final PauseLedger ledger;
  private final OrderWait orderWait;
  private final ProxyStats stats;
  private final long maxHungerNanos;

  /** Empty splits that are kept out: by the time where they are, and by how long they are so. */
  private final TreeSet<SplitBuffer> byTime =
      new TreeSet<>(
          Comparator.comparingLong(SplitBuffer::lastTime).thenComparing(SplitBuffer::splitId));

  private final TreeSet<SplitBuffer> byHunger =
      new TreeSet<>(
          Comparator.<SplitBuffer>comparingLong(split -> split.hungrySince)
              .thenComparing(SplitBuffer::splitId));

  private final Map<SplitBuffer, Long> window = new LinkedHashMap<>();

  private Zone zone = Zone.OPEN;
  private long floor = Long.MAX_VALUE;
  private long chunk;

  Admission(
      BufferBudget budget,
      ProxyLimits limits,
      PauseLedger ledger,
      OrderWait orderWait,
      ProxyStats stats,
      long maxHungerNanos) {
    this.budget = budget;
    this.limits = limits;
    this.ledger = ledger;
    this.orderWait = orderWait;
    this.stats = stats;
    this.maxHungerNanos = maxHungerNanos;
  }

  /** A split came or went. */
  void splits(int count) {
    floor = limits.floorBytes(count);
  }

  void added(SplitBuffer split, long nowNanos) {
    if (zone != Zone.OPEN) {
      close(split, nowNanos);
    }
  }

  void removed(SplitBuffer split) {
    window.remove(split);
    split.admitted = false;
    notHungry(split);
  }

  private void notHungry(SplitBuffer split) {
    if (split.hungry) {
      byTime.remove(split);
      byHunger.remove(split);
      split.hungry = false;
    }
  }

  /** A poll brought {@code bytes} for the split. */
  void filled(SplitBuffer split, long bytes, long nowNanos) {
    chunk = Math.max(chunk - chunk / 16, bytes);
    // Out of the queues first: one of them is ordered by what changes here. A split that is kept
    // out is filled when damage that was asked about is skipped.
    notHungry(split);
    split.hungrySince = SplitBuffer.NOT_HUNGRY;
    split.quiet = false;
    if (split.admitted) {
      split.admitted = false;
      window.remove(split);
    }
    if (zone != Zone.OPEN && split.heldBytes() >= floor) {
      close(split, nowNanos);
    }
  }

  /** The split's buffer ran empty, or what kept it from fetching is over. */
  void emptied(SplitBuffer split, long nowNanos) {
    if (zone != Zone.OPEN && split.isEmpty() && !split.admitted) {
      if (zone == Zone.FULL || isBehind(split)) {
        close(split, nowNanos);
      } else {
        letIn(split, nowNanos);
      }
    }
  }

  private void letIn(SplitBuffer split, long nowNanos) {
    notHungry(split);
    open(split, nowNanos);
  }

  private static boolean isBehind(SplitBuffer split) {
    return !split.quiet && (split.end() < 0 || split.knownLag() > 0);
  }

  private void close(SplitBuffer split, long nowNanos) {
    if (split.fetchFinished()) {
      return;
    }
    if (ledger.add(split.pause, PauseReason.READER_FULL, nowNanos)) {
      orderWait.review(split, nowNanos);
    }
    if (split.isEmpty() && !split.hungry) {
      if (split.hungrySince == SplitBuffer.NOT_HUNGRY) {
        split.hungrySince = nowNanos;
      }
      split.hungry = true;
      byTime.add(split);
      byHunger.add(split);
    }
  }

  private void open(SplitBuffer split, long nowNanos) {
    if (ledger.remove(split.pause, PauseReason.READER_FULL, nowNanos)) {
      orderWait.review(split, nowNanos);
    }
  }

  /**
   * Looks at the budget again.
   *
   * @param stuck whether nothing is handed over and nothing can be
   */
  void update(Collection<SplitBuffer> splits, boolean stuck, long nowNanos) {
    long used = budget.used();
    long max = budget.maxBytes();
    long places = Math.max(1, (max - used) / Math.max(1, chunk));
    boolean roomForAll = used <= max / 2 && byTime.size() <= places;
    Zone before = zone;
    zone =
        switch (before) {
          case OPEN -> used >= max ? Zone.FULL : used >= max / 4 * 3 ? Zone.SHORT : Zone.OPEN;
          case SHORT -> used >= max ? Zone.FULL : roomForAll ? Zone.OPEN : Zone.SHORT;
          case FULL -> roomForAll ? Zone.OPEN : used <= max / 8 * 7 ? Zone.SHORT : Zone.FULL;
        };
    if (zone != before) {
      enter(before, splits, nowNanos);
    }
    if (zone == Zone.SHORT) {
      admit(places, nowNanos);
    } else if (zone == Zone.FULL && stuck) {
      admit(1, nowNanos);
    }
  }

  private void enter(Zone before, Collection<SplitBuffer> splits, long nowNanos) {
    stats.windowActive(zone != Zone.OPEN);
    switch (zone) {
      case OPEN -> {
        window.clear();
        for (SplitBuffer split : splits) {
          split.admitted = false;
          letIn(split, nowNanos);
        }
      }
      case SHORT -> {
        for (SplitBuffer split : splits) {
          if (split.isEmpty() ? isBehind(split) : split.heldBytes() >= floor) {
            if (!split.admitted) {
              close(split, nowNanos);
            }
          } else if (before == Zone.FULL) {
            letIn(split, nowNanos);
          }
        }
      }
      case FULL -> {
        window.clear();
        for (SplitBuffer split : splits) {
          split.admitted = false;
          close(split, nowNanos);
        }
      }
    }
  }

  private void admit(long places, long nowNanos) {
    Iterator<Long> since = window.values().iterator();
    Iterator<SplitBuffer> who = window.keySet().iterator();
    while (since.hasNext()) {
      long at = since.next();
      SplitBuffer split = who.next();
      if (nowNanos - at < QUIET_NANOS) {
        break;
      }
      split.admitted = false;
      split.quiet = true;
      who.remove();
      since = window.values().iterator();
      who = window.keySet().iterator();
    }
    while (window.size() < places && !byTime.isEmpty()) {
      SplitBuffer longest = byHunger.first();
      boolean starving = nowNanos - longest.hungrySince >= maxHungerNanos;
      SplitBuffer split = starving ? longest : byTime.first();
      notHungry(split);
      if (!split.isEmpty() || split.fetchFinished() || split.pause.has(PauseReason.ALIGNMENT)) {
        continue;
      }
      open(split, nowNanos);
      if (split.isCaughtUp()) {
        // A fetch for it alone would stay at the broker for the longest wait, and with it the
        // place.
        continue;
      }
      split.admitted = true;
      window.put(split, nowNanos);
    }
  }

  /**
   * The earliest time that an empty split which is kept out and has more may have; MAX_VALUE
   * without any.
   */
  long keptOutSince() {
    for (SplitBuffer split : byTime) {
      if (!split.isCaughtUp()) {
        return split.lastTime();
      }
    }
    return Long.MAX_VALUE;
  }
}
