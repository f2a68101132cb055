package io.korpse.flink.source.reader;

import io.korpse.flink.source.Extensions;
import io.korpse.flink.source.RecordOrder;
import io.korpse.flink.source.SourceSettings;
import io.korpse.flink.source.deserializer.KafkaRecordDeserializationSchema;
import io.korpse.flink.source.reader.proxy.LaneMerge;
import io.korpse.flink.source.reader.proxy.PollProxy;
import io.korpse.flink.source.reader.proxy.ProxyControl;
import io.korpse.flink.source.reader.proxy.ProxyParts;
import io.korpse.flink.source.reader.proxy.ProxyStats;
import io.korpse.flink.source.reader.proxy.SplitWishes;
import io.korpse.flink.source.split.KorpseSplit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;
import org.apache.flink.util.InstantiationUtil;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * What each of a reader's consumers has for itself, and what holds them together. With one
 * consumer, as by default, nothing: that one is all of the reader.
 */
final class ReaderLanes<T> {

  /**
   * One consumer.
   *
   * @param userCode what runs on its thread; each lane has its own copy
   * @param schema likewise, where the fetcher deserializes; else the task thread's
   */
  record Lane<T>(
      int index,
      ProxyControl control,
      ProxyStats stats,
      Extensions userCode,
      KafkaRecordDeserializationSchema<T> schema) {}

  private final List<Lane<T>> lanes;
  private final SplitSpread spread;
  @Nullable private final LaneMerge merge;
  private final List<ProxyStats> stats = new ArrayList<>();
  private final SplitWishes wishes;

  private ReaderLanes(List<Lane<T>> lanes, SourceSettings settings) {
    this.lanes = lanes;
    this.spread = new SplitSpread(lanes.size());
    lanes.forEach(lane -> stats.add(lane.stats()));
    if (lanes.size() == 1) {
      merge = null;
      wishes = lanes.get(0).control();
      return;
    }
    merge = settings.order() == RecordOrder.EVENT_TIME ? newMerge(settings) : null;
    wishes = new LaneWishes(spread, lanes.stream().map(Lane::control).toList(), this::left);
  }

  private LaneMerge newMerge(SourceSettings settings) {
    ProxyStats own = new ProxyStats();
    stats.add(own);
    return new LaneMerge(
        lanes.size(),
        settings.orderWait(),
        settings.orderSlack().toMillis(),
        own,
        System::nanoTime);
  }

  private void left(int lane) {
    if (merge != null) {
      merge.lane(lane).left();
    }
  }

  /**
   * The lanes of a reader. Before anything is opened: an open schema can no more be copied.
   *
   * @throws Exception if user code cannot be copied
   */
  static <T> ReaderLanes<T> of(
      SourceSettings settings, KafkaRecordDeserializationSchema<T> schema, ClassLoader userCode)
      throws Exception {
    List<Lane<T>> lanes = new ArrayList<>();
    for (int i = 0; i < settings.readerConsumers(); i++) {
      Extensions extensions = settings.extensions();
      lanes.add(
          new Lane<>(
              i,
              new ProxyControl(),
              new ProxyStats(),
              i == 0 ? extensions : InstantiationUtil.clone(extensions, userCode),
              i == 0 || !settings.deserializeOnFetcher()
                  ? schema
                  : InstantiationUtil.clone(schema, userCode)));
    }
    return new ReaderLanes<>(lanes, settings);
  }

  boolean several() {
    return lanes.size() > 1;
  }

  int count() {
    return lanes.size();
  }

  /** Something for each lane, in their order. */
  <R> List<R> each(Function<Lane<T>, R> made) {
    return lanes.stream().map(made).toList();
  }

  /** What is counted, of all that count. */
  List<ProxyStats> stats() {
    return stats;
  }

  /** Where the reader says what it wants of a split. */
  SplitWishes wishes() {
    return wishes;
  }

  /** The schemas, each once. */
  List<KafkaRecordDeserializationSchema<T>> schemas() {
    List<KafkaRecordDeserializationSchema<T>> schemas = new ArrayList<>();
    for (Lane<T> lane : lanes) {
      if (lane.index() == 0 || lane.schema() != schemas.get(0)) {
        schemas.add(lane.schema());
      }
    }
    return schemas;
  }

  /**
   * Makes the proxy of each lane's split reader.
   *
   * @param parts what a lane's proxy is made of
   */
  IntFunction<PollProxy> proxies(Function<Lane<T>, ProxyParts> parts) {
    List<ProxyParts> byLane = each(parts);
    return lane ->
        merge == null ? byLane.get(lane).newProxy() : merge.newProxy(byLane.get(lane), lane);
  }

  /** The fetchers. */
  KorpseFetcherManager fetchers(
      IntFunction<SplitReader<ConsumerRecord<byte[], byte[]>, KorpseSplit>> readers,
      Configuration configuration,
      int batches,
      SplitStates states,
      Predicate<TopicPartition> wanted) {
    return several()
        ? new LaneFetcherManager(
            readers, configuration, batches * count(), wishes, states, wanted, spread, merge)
        : new KorpseFetcherManager(
            () -> readers.apply(0), configuration, batches, wishes, states, wanted);
  }
}
