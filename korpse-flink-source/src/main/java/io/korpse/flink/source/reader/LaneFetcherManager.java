package io.korpse.flink.source.reader;

import io.korpse.flink.source.reader.proxy.LaneMerge;
import io.korpse.flink.source.reader.proxy.SplitWishes;
import io.korpse.flink.source.split.KorpseSplit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.fetcher.SplitFetcher;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;
import org.apache.flink.connector.base.source.reader.synchronization.FutureCompletingBlockingQueue;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * A fetcher thread for each consumer that has splits. All of them put into one queue, before which
 * in event-time order comes another that merges.
 */
final class LaneFetcherManager extends KorpseFetcherManager {

  private final Readers readers;
  private final SplitSpread spread;
  @Nullable private final LaneMerge merge;

  private final FutureCompletingBlockingQueue<RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>>>
      queue;

  private final Map<Integer, SplitFetcher<ConsumerRecord<byte[], byte[]>, KorpseSplit>> lanes =
      new HashMap<>();

  /**
   * The fetchers of a reader.
   *
   * @param readers makes the split reader of a consumer
   * @param batches how many batches all consumers together may have handed over
   * @param merge what their batches are merged by; null when they go out as they come
   */
  LaneFetcherManager(
      IntFunction<SplitReader<ConsumerRecord<byte[], byte[]>, KorpseSplit>> readers,
      Configuration configuration,
      int batches,
      SplitWishes control,
      SplitStates states,
      Predicate<TopicPartition> wanted,
      SplitSpread spread,
      @Nullable LaneMerge merge) {
    this(new Readers(readers), configuration, batches, control, states, wanted, spread, merge);
  }

  private LaneFetcherManager(
      Readers readers,
      Configuration configuration,
      int batches,
      SplitWishes control,
      SplitStates states,
      Predicate<TopicPartition> wanted,
      SplitSpread spread,
      @Nullable LaneMerge merge) {
    super(readers, configuration, batches, control, states, wanted);
    this.readers = readers;
    this.spread = spread;
    this.merge = merge;
    this.queue = merge == null ? super.getQueue() : merge.over(super.getQueue());
  }

  /** Flink asks for the reader of a fetcher without saying which fetcher that is. */
  private static final class Readers
      implements Supplier<SplitReader<ConsumerRecord<byte[], byte[]>, KorpseSplit>> {

    private final IntFunction<SplitReader<ConsumerRecord<byte[], byte[]>, KorpseSplit>> byLane;
    private int lane;

    Readers(IntFunction<SplitReader<ConsumerRecord<byte[], byte[]>, KorpseSplit>> byLane) {
      this.byLane = byLane;
    }

    @Override
    public SplitReader<ConsumerRecord<byte[], byte[]>, KorpseSplit> get() {
      return byLane.apply(lane);
    }
  }

  @Override
  public FutureCompletingBlockingQueue<RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>>>
      getQueue() {
    return queue;
  }

  /** Also those that are kept apart have their place: a pause of one is remembered there. */
  @Override
  public void addSplits(List<KorpseSplit> splits) {
    splits.forEach(split -> spread.place(split.splitId()));
    super.addSplits(splits);
  }

  @Override
  void fetch(List<KorpseSplit> splits) {
    Map<Integer, List<KorpseSplit>> byLane = new TreeMap<>();
    for (KorpseSplit split : splits) {
      byLane.computeIfAbsent(spread.place(split.splitId()), lane -> new ArrayList<>()).add(split);
    }
    if (merge != null) {
      // All of them first: none goes ahead of one that has only not started yet.
      byLane.forEach((lane, own) -> merge.lane(lane).assign(own.size()));
    }
    byLane.forEach(this::fetch);
  }

  @Override
  public synchronized void close(long timeoutMillis) throws Exception {
    if (merge != null) {
      merge.close();
    }
    super.close(timeoutMillis);
  }

  private void fetch(int lane, List<KorpseSplit> splits) {
    SplitFetcher<ConsumerRecord<byte[], byte[]>, KorpseSplit> running = lanes.get(lane);
    if (running != null && fetchers.containsValue(running)) {
      running.addSplits(splits);
      return;
    }
    readers.lane = lane;
    SplitFetcher<ConsumerRecord<byte[], byte[]>, KorpseSplit> fetcher = createSplitFetcher();
    lanes.put(lane, fetcher);
    fetcher.addSplits(splits);
    startFetcher(fetcher);
  }
}
