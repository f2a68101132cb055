package io.korpse.flink.source.reader.proxy;

import java.util.concurrent.locks.Condition;
import javax.annotation.Nullable;

/**
 * Makes the parts of a proxy that hold its rules. A test of the tests takes one of them out, and a
 * simulation puts virtual time in.
 */
class ProxyRules {

  static final ProxyRules STANDARD = new ProxyRules();

  PauseLedger ledger(PauseTimes times) {
    return new PauseLedger(times);
  }

  SplitChooser chooser(ProxyParts parts) {
    return parts.newChooser();
  }

  OrderWait orderWait(ProxyParts parts) {
    return new OrderWait(
        parts.orderWait().toNanos(),
        parts.orderSlackMillis(),
        parts.clock().getAsLong(),
        parts.stats());
  }

  Admission admission(ProxyParts parts, PauseLedger ledger, OrderWait orderWait) {
    return new Admission(
        parts.budget(), parts.limits(), ledger, orderWait, parts.stats(), maxHunger(parts));
  }

  /** A fair order lets in who waited longest; event time does only when that is too long. */
  static long maxHunger(ProxyParts parts) {
    return parts.eventTime() ? parts.maxHold().toNanos() : 0;
  }

  FetchAhead fetchAhead() {
    return new FetchAhead();
  }

  /** Where batches of several proxies are merged, what the merge is told of this one. */
  @Nullable
  MergeLane lane() {
    return null;
  }

  WakeSignal wakeSignal() {
    return new WakeSignal(Condition::awaitNanos);
  }
}
