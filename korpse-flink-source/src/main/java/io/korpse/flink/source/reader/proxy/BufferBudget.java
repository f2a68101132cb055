package io.korpse.flink.source.reader.proxy;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.annotation.Nullable;

/**
 * The bytes that one reader holds: buffered, and handed over but not yet taken back.
 *
 * <p>Belongs to the reader, not to a proxy: after an idle shutdown a new proxy may overlap the one
 * that is closing, and both count against the same bound. Thread-safe: the fetcher thread reserves,
 * the task thread releases.
 */
public final class BufferBudget {

  private final long maxBytes;
  @Nullable private final BufferBudget whole;
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong peak = new AtomicLong();
  private final AtomicInteger batches = new AtomicInteger();

  /** A budget of {@code maxBytes}; one poll may go beyond it by what it brought. */
  public BufferBudget(long maxBytes) {
    this(maxBytes, null);
  }

  /** A part of a budget, which counts there too. */
  public BufferBudget(long maxBytes, @Nullable BufferBudget whole) {
    if (maxBytes <= 0) {
      throw new IllegalArgumentException("A budget must be positive, not " + maxBytes + " bytes");
    }
    this.maxBytes = maxBytes;
    this.whole = whole;
  }

  void reserve(long bytes) {
    long now = used.addAndGet(bytes);
    if (now > peak.get()) {
      peak.accumulateAndGet(now, Math::max);
    }
    if (whole != null) {
      whole.reserve(bytes);
    }
  }

  void release(long bytes) {
    used.addAndGet(-bytes);
    if (whole != null) {
      whole.release(bytes);
    }
  }

  void batchHandedOver() {
    batches.incrementAndGet();
    if (whole != null) {
      whole.batchHandedOver();
    }
  }

  void batchReturned(long bytes) {
    batches.decrementAndGet();
    used.addAndGet(-bytes);
    if (whole != null) {
      whole.batchReturned(bytes);
    }
  }

  /** Batches that are handed over and not yet taken back. */
  public int batches() {
    return batches.get();
  }

  /** Bytes held now. */
  public long used() {
    return used.get();
  }

  /** The most bytes that were ever held. */
  public long peak() {
    return peak.get();
  }

  /** The bound. */
  public long maxBytes() {
    return maxBytes;
  }
}
