package io.korpse.flink.source.reader;

import io.korpse.flink.source.reader.proxy.BufferBudget;
import io.korpse.flink.source.reader.proxy.PauseReason;
import io.korpse.flink.source.reader.proxy.PauseTimes;
import io.korpse.flink.source.reader.proxy.ProxyStats;
import io.korpse.flink.source.reader.proxy.SplitStats;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/**
 * Shows what the proxies of a reader do, summed, in the reader's group {@code KafkaSourceReader}.
 */
final class ProxyMetrics {

  private ProxyMetrics() {}

  static void register(
      MetricGroup group, BufferBudget budget, List<ProxyStats> stats, PauseTimes pauses) {
    gauge(group, "heldBytes", budget::used);
    gauge(group, "heldBytesMax", budget::maxBytes);
    gauge(group, "heldBytesPeak", budget::peak);
    gauge(group, "bufferedBytes", sum(stats, ProxyStats::bufferedBytes));
    gauge(group, "bufferedRecords", sum(stats, ProxyStats::bufferedRecords));
    gauge(group, "batchesHandedOver", budget::batches);
    gauge(group, "recordsRead", sum(stats, ProxyStats::records));
    gauge(group, "bytesRead", sum(stats, ProxyStats::bytes));
    gauge(group, "partitions", sum(stats, ProxyStats::splits));
    gauge(group, "polls", sum(stats, ProxyStats::polls));
    gauge(group, "emptyPolls", sum(stats, ProxyStats::emptyPolls));
    gauge(group, "skippedPolls", sum(stats, ProxyStats::skippedPolls));
    gauge(group, "orderGivenUp", sum(stats, ProxyStats::orderGivenUp));
    gauge(group, "orderWaitTime", sum(stats, ProxyStats::orderWaitMillis));
    gauge(group, "servedAfterHold", sum(stats, ProxyStats::servedAfterHold));
    gauge(group, "maxDisorder", worst(stats, ProxyStats::maxDisorderMillis));
    gauge(group, "orderSlack", worst(stats, ProxyStats::orderSlackMillis));
    gauge(group, "recordsWithheld", sum(stats, ProxyStats::withheld));
    gauge(group, "consumerRebuilds", sum(stats, ProxyStats::consumerRebuilds));
    gauge(group, "splitsShed", sum(stats, ProxyStats::shed));
    gauge(group, "windowActive", worst(stats, ProxyStats::windowActive));
    gauge(group, "pausedSplits", pauses::pausedSplits);
    for (PauseReason reason : PauseReason.values()) {
      MetricGroup byReason =
          group.addGroup("pause", reason.name().toLowerCase(Locale.ROOT).replace('_', '-'));
      gauge(byReason, "pausedTime", () -> pauses.pausedMillis(reason));
      gauge(byReason, "pauses", () -> pauses.pauses(reason));
    }
  }

  /** The metrics of one split, in its own group. */
  static void register(MetricGroup partition, SplitStats stats) {
    gauge(partition, "recordsRead", stats::records);
    gauge(partition, "bytesRead", stats::bytes);
    gauge(partition, "bufferedRecords", stats::bufferedRecords);
    gauge(partition, "bufferedBytes", stats::bufferedBytes);
    gauge(partition, "paused", stats::paused);
    gauge(partition, "pauseReasons", stats::pauseReasons);
  }

  private static LongSupplier sum(List<ProxyStats> stats, ToLongFunction<ProxyStats> value) {
    return () -> stats.stream().mapToLong(value).sum();
  }

  private static LongSupplier worst(List<ProxyStats> stats, ToLongFunction<ProxyStats> value) {
    return () -> stats.stream().mapToLong(value).max().orElse(0);
  }

  private static void gauge(MetricGroup group, String name, LongSupplier value) {
    group.gauge(name, (Gauge<Long>) value::getAsLong);
  }
}
