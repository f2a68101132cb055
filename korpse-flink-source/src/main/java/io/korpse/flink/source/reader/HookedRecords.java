package io.korpse.flink.source.reader;

import io.korpse.flink.source.RecordHook;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import javax.annotation.Nullable;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Puts the user's hook before the buffers, and counts what it drops: {@code recordsDropped} of the
 * reader, and by reason in the group {@code drop.<reason>}. Fetcher thread; copies on several
 * threads have the counters in common.
 */
final class HookedRecords implements UnaryOperator<ConsumerRecord<byte[], byte[]>> {

  /** Reasons are names of metrics, so a hook that makes one up for each record must not. */
  static final int MAX_REASONS = 50;

  static final String OTHER = "other";
  private static final String COUNTER = "recordsDropped";

  private final RecordHook hook;
  private final Drops drops;
  private String reason;

  HookedRecords(RecordHook hook, MetricGroup group) {
    this(hook, new Drops(group));
  }

  private HookedRecords(RecordHook hook, Drops drops) {
    this.hook = hook;
    this.drops = drops;
  }

  /** The same counters, for a copy of the hook on another thread. */
  HookedRecords of(RecordHook copy) {
    return new HookedRecords(copy, drops);
  }

  @Nullable
  @Override
  public ConsumerRecord<byte[], byte[]> apply(ConsumerRecord<byte[], byte[]> record) {
    reason = OTHER;
    ConsumerRecord<byte[], byte[]> mapped;
    try {
      mapped = hook.map(record, this::because);
    } catch (Exception e) {
      throw new IllegalStateException("The record hook failed at " + at(record) + ": " + e, e);
    }
    if (mapped == null) {
      drops.count(reason);
    } else if (mapped != record && !at(mapped).equals(at(record))) {
      throw new IllegalStateException(
          "The record hook gave a record of " + at(mapped) + " for that of " + at(record));
    }
    return mapped;
  }

  @Nullable
  private ConsumerRecord<byte[], byte[]> because(String why) {
    reason = why;
    return null;
  }

  /** Flink's counters are not made for several threads. */
  private static final class Drops {

    private final MetricGroup group;
    private final Counter dropped;
    private final Map<String, Counter> byReason = new HashMap<>();

    Drops(MetricGroup group) {
      this.group = group;
      this.dropped = group.counter(COUNTER);
    }

    synchronized void count(String reason) {
      dropped.inc();
      counter(reason).inc();
    }

    private Counter counter(String name) {
      Counter counter = byReason.get(name);
      if (counter == null) {
        String kept = byReason.size() < MAX_REASONS ? name : OTHER;
        counter = byReason.computeIfAbsent(kept, n -> group.addGroup("drop", n).counter(COUNTER));
      }
      return counter;
    }
  }

  private static String at(ConsumerRecord<byte[], byte[]> record) {
    return record.topic() + "-" + record.partition() + "@" + record.offset();
  }
}
