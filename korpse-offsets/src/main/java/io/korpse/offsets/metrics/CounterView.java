package io.korpse.offsets.metrics;

import java.util.function.LongSupplier;
import org.apache.flink.metrics.Counter;

/** A count that is kept elsewhere, in the form that reporters take for a counter. */
final class CounterView implements Counter {

  private final LongSupplier count;

  CounterView(LongSupplier count) {
    this.count = count;
  }

  @Override
  public long getCount() {
    return count.getAsLong();
  }

  @Override
  public void inc() {
    throw readOnly();
  }

  @Override
  public void inc(long n) {
    throw readOnly();
  }

  @Override
  public void dec() {
    throw readOnly();
  }

  @Override
  public void dec(long n) {
    throw readOnly();
  }

  private static UnsupportedOperationException readOnly() {
    return new UnsupportedOperationException("This counter only shows a count");
  }
}
