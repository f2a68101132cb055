package io.korpse.flink.source.reader.proxy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.synchronization.FutureCompletingBlockingQueue;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Event-time order over several proxies of one reader: what they and its queue share. */
public final class LaneMerge {

  private final List<MergeLane> lanes = new ArrayList<>();
  private final WaitShare share;
  private final MergeWait wait;
  private final long slackMillis;
  private final ProxyStats stats;
  private final LongSupplier clock;

  @Nullable private volatile MergingQueue queue;

  /**
   * For so many lanes.
   *
   * @param orderWait longest wait for a lane that has nothing but may have something early
   * @param slackMillis how far one lane may go beyond what another has
   * @param stats what is counted of the merge; the proxies have their own
   */
  public LaneMerge(
      int count, Duration orderWait, long slackMillis, ProxyStats stats, LongSupplier clock) {
    this.share = new SharedWaitShare(clock.getAsLong());
    this.wait = new MergeWait(orderWait.toNanos(), share, stats);
    this.slackMillis = slackMillis;
    this.stats = stats;
    this.clock = clock;
    for (int i = 0; i < count; i++) {
      lanes.add(new MergeLane(this::laneChanged));
    }
  }

  private void laneChanged() {
    MergingQueue merging = queue;
    if (merging != null) {
      merging.laneChanged();
    }
  }

  /** One lane, to which splits are assigned. */
  public MergeLane lane(int index) {
    return lanes.get(index);
  }

  /** The proxy of one lane. Fetcher thread. */
  public PollProxy newProxy(ProxyParts parts, int index) {
    return new PollProxy(parts, rules(index));
  }

  ProxyRules rules(int index) {
    return new LaneRules(lanes.get(index));
  }

  /** The queue that merges what fetchers put into another. Before there is a proxy. */
  public MergingQueue over(
      FutureCompletingBlockingQueue<RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>>> inner) {
    return over(
        inner,
        (nanos, what) ->
            CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, Runnable::run)
                .execute(what));
  }

  MergingQueue over(
      FutureCompletingBlockingQueue<RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>>> inner,
      MergingQueue.Timer timer) {
    MergingQueue merging = new MergingQueue(inner, lanes, wait, slackMillis, stats, clock, timer);
    queue = merging;
    return merging;
  }

  /** Nothing is read any more; before the fetchers are waited for. Task thread. */
  public void close() {
    MergingQueue merging = queue;
    if (merging != null) {
      merging.close();
    }
  }

  private final class LaneRules extends ProxyRules {

    private final MergeLane lane;

    LaneRules(MergeLane lane) {
      this.lane = lane;
    }

    @Override
    OrderWait orderWait(ProxyParts parts) {
      return new OrderWait(
          parts.orderWait().toNanos(),
          parts.orderSlackMillis(),
          parts.clock().getAsLong(),
          parts.stats(),
          share);
    }

    @Override
    MergeLane lane() {
      return lane;
    }
  }
}
