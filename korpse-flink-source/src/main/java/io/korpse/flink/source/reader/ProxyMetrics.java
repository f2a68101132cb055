package io.korpse.flink.source.reader;

import io.korpse.flink.source.reader.proxy.BufferBudget;
import io.korpse.flink.source.reader.proxy.PauseReason;
import io.korpse.flink.source.reader.proxy.PauseTimes;
import io.korpse.flink.source.reader.proxy.ProxyStats;
import io.korpse.flink.source.reader.proxy.SplitStats;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/** Shows what the proxy does, in the reader's group {@code KafkaSourceReader}. */
final class ProxyMetrics {

  private ProxyMetrics() {}

  static void register(
      MetricGroup group, BufferBudget budget, ProxyStats stats, PauseTimes pauses) {
    gauge(group, "heldBytes", budget::used);
    gauge(group, "heldBytesMax", budget::maxBytes);
    gauge(group, "heldBytesPeak", budget::peak);
    gauge(group, "bufferedBytes", stats::bufferedBytes);
    gauge(group, "bufferedRecords", stats::bufferedRecords);
    gauge(group, "batchesHandedOver", budget::batches);
    gauge(group, "recordsRead", stats::records);
    gauge(group, "bytesRead", stats::bytes);
    gauge(group, "partitions", stats::splits);
    gauge(group, "polls", stats::polls);
    gauge(group, "emptyPolls", stats::emptyPolls);
    gauge(group, "skippedPolls", stats::skippedPolls);
    gauge(group, "orderGivenUp", stats::orderGivenUp);
    gauge(group, "orderWaitTime", stats::orderWaitMillis);
    gauge(group, "servedAfterHold", stats::servedAfterHold);
    gauge(group, "maxDisorder", stats::maxDisorderMillis);
    gauge(group, "orderSlack", stats::orderSlackMillis);
    gauge(group, "recordsWithheld", stats::withheld);
    gauge(group, "consumerRebuilds", stats::consumerRebuilds);
    gauge(group, "splitsShed", stats::shed);
    gauge(group, "windowActive", stats::windowActive);
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

  private static void gauge(MetricGroup group, String name, LongSupplier value) {
    group.gauge(name, (Gauge<Long>) value::getAsLong);
  }
}
