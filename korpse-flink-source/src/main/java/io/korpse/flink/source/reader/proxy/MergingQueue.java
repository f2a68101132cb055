package io.korpse.flink.source.reader.proxy;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.synchronization.FutureCompletingBlockingQueue;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * What the reader takes for its queue when there are several proxies in event-time order: takes
 * their batches from the queue that Flink's fetchers fill, and gives them out merged.
 *
 * <p>Task thread, but for {@link #laneChanged()} and {@link #notifyAvailable()}. While order waits,
 * a lane that tells something new wakes the task thread, as does a batch, and a timer at the time
 * when there is something to decide. How that is not lost: the task thread first says that it is
 * blocked and then looks at all lanes; a lane first says what is new and then whether it is.
 */
public final class MergingQueue
    extends FutureCompletingBlockingQueue<RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>>> {

  /** Runs something later, on any thread. */
  @FunctionalInterface
  interface Timer {
    void after(long nanos, Runnable what);
  }

  private final FutureCompletingBlockingQueue<RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>>>
      inner;
  private final List<MergeLane> lanes;
  private final MergeWait wait;
  private final BatchMerge merge;
  private final LongSupplier clock;
  private final Timer timer;

  /** What a fetcher that ends puts in, to learn that all before it was read. */
  private final ArrayDeque<RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>>> others =
      new ArrayDeque<>();

  private volatile boolean blocked;
  private long wakesAt;

  MergingQueue(
      FutureCompletingBlockingQueue<RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>>> inner,
      List<MergeLane> lanes,
      MergeWait wait,
      long slackMillis,
      ProxyStats stats,
      LongSupplier clock,
      Timer timer) {
    super(1);
    this.inner = inner;
    this.lanes = lanes;
    this.wait = wait;
    this.clock = clock;
    this.timer = timer;
    this.merge = new BatchMerge(lanes, wait, slackMillis, clock, stats, this::drain);
    this.wakesAt = clock.getAsLong();
  }

  private void drain() {
    for (var records = inner.poll(); records != null; records = inner.poll()) {
      if (!(records instanceof HandoverBatch batch)) {
        others.add(records);
      } else if (batch.lane() != null) {
        batch.lane().receive(batch);
        if (batch.records() > 0) {
          wait.delivered(batch.lane());
        }
      }
    }
  }

  @Override
  @Nullable
  public RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> poll() {
    blocked = false;
    if (!others.isEmpty()) {
      return others.poll();
    }
    if (merge.begin()) {
      return merge;
    }
    if (holdsNone()) {
      return others.poll();
    }
    blocked = true;
    if (merge.begin()) {
      blocked = false;
      return merge;
    }
    wakeAfter(merge.nanosToDecision());
    return others.poll();
  }

  /** One timer at a time, unless an earlier one is needed. */
  private void wakeAfter(long nanos) {
    long now = clock.getAsLong();
    if (wakesAt <= now || wakesAt > now + nanos) {
      wakesAt = now + nanos;
      timer.after(nanos, inner::notifyAvailable);
    }
  }

  /** A lane told something new. Its fetcher thread. */
  void laneChanged() {
    if (blocked) {
      inner.notifyAvailable();
    }
  }

  private boolean holdsNone() {
    for (MergeLane lane : lanes) {
      if (!lane.isEmpty()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public CompletableFuture<Void> getAvailabilityFuture() {
    boolean more = !others.isEmpty() || (!blocked && !holdsNone());
    return more ? AVAILABLE : inner.getAvailabilityFuture();
  }

  /**
   * Gives back what was taken out of the fetchers' queue and nobody will read any more: a fetcher
   * that had ended before waits for that. Task thread.
   */
  void close() {
    drain();
    for (var other = others.poll(); other != null; other = others.poll()) {
      other.recycle();
    }
  }

  @Override
  public void notifyAvailable() {
    inner.notifyAvailable();
  }

  @Override
  public boolean isEmpty() {
    return inner.isEmpty() && others.isEmpty() && holdsNone();
  }
}
