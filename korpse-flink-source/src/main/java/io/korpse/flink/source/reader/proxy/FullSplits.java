package io.korpse.flink.source.reader.proxy;

import java.util.ArrayList;
import java.util.List;

/**
 * Pauses splits whose buffer is full, and lets them go on when it has drained to the low watermark.
 *
 * <p>A split that gets full is paused when the client has given all that it holds, as long as that
 * is not much. The client asks for more in the poll that empties it, so the next records of a split
 * that is paused then are there when it is resumed. Paused before that, it has a rest in the
 * client, and the broker is asked only when that is used up: a reader in event-time order, which
 * lives on one large split while the others are full, would wait for each of its fetches.
 *
 * <p>Confined to the fetcher thread.
 */
final class FullSplits {

  private final ProxyLimits limits;
  private final PauseLedger ledger;
  private final OrderWait orderWait;

  /** Full, and not paused yet. */
  private final List<SplitBuffer> open = new ArrayList<>();

  FullSplits(ProxyLimits limits, PauseLedger ledger, OrderWait orderWait) {
    this.limits = limits;
    this.ledger = ledger;
    this.orderWait = orderWait;
  }

  /** What the next poll may bring: less by what a split that is still open holds too much. */
  long pollBytes() {
    return limits.pollBytes() - excess();
  }

  private long excess() {
    long most = 0;
    for (SplitBuffer split : open) {
      most = Math.max(most, split.heldBytes() - limits.splitHighBytes());
    }
    return most;
  }

  /** A poll brought records of the split. */
  void arrived(SplitBuffer split, long nowNanos) {
    if (split.heldRecords() >= limits.splitHighRecords()) {
      ledger.add(split.pause, PauseReason.SPLIT_FULL, nowNanos);
    } else if (split.heldBytes() >= limits.splitHighBytes() && !open.contains(split)) {
      open.add(split);
    }
  }

  /**
   * A poll is over.
   *
   * @param more whether the client still holds something
   */
  void polled(boolean more, long nowNanos) {
    if (open.isEmpty() || (more && excess() < limits.pollBytes() / 2)) {
      return;
    }
    for (SplitBuffer split : open) {
      if (!split.fetchFinished() && split.heldBytes() >= limits.splitHighBytes()) {
        ledger.add(split.pause, PauseReason.SPLIT_FULL, nowNanos);
        orderWait.review(split, nowNanos);
      }
    }
    open.clear();
  }

  /** A batch with records of the split came back. */
  void returned(SplitBuffer split, long nowNanos) {
    if (split.pause.has(PauseReason.SPLIT_FULL)
        && split.heldBytes() <= limits.splitLowBytes()
        && split.heldRecords() <= limits.splitLowRecords()) {
      ledger.remove(split.pause, PauseReason.SPLIT_FULL, nowNanos);
      orderWait.review(split, nowNanos);
    }
  }
}
