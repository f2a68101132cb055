package io.korpse.offsets.metrics;

import io.korpse.offsets.commit.CommitStatus;
import io.korpse.offsets.lag.LagTotal;
import io.korpse.offsets.lag.LagTracker;
import io.korpse.offsets.lag.PartitionLag;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/**
 * Shows commits and lag as Flink metrics, in the group {@code KafkaSourceReader} of a reader's
 * metric group. Thread-safe; gauges are read by the reporters' threads.
 *
 * <p>Statuses are numbers, since reporters such as Prometheus' show a text as 0: see {@link
 * io.korpse.offsets.lag.LagStatus#code()} and {@link io.korpse.offsets.commit.CommitState#code()}.
 * Numbers that are not known are -1. Ages, latencies and {@code timeLag} are in milliseconds.
 */
public final class OffsetMetrics implements AutoCloseable {

  /** The group of all metrics below. */
  public static final String GROUP = "KafkaSourceReader";

  private final MetricGroup group;
  private final Consumer<MetricGroup> closer;
  private final Map<TopicPartition, MetricGroup> partitions = new HashMap<>();
  private final Map<String, MetricGroup> topics = new HashMap<>();
  private LagTracker tracker;

  /**
   * Metrics under {@code readerGroup}.
   *
   * @param closer unregisters the metrics of a group; Flink has no public way to do that
   */
  public OffsetMetrics(MetricGroup readerGroup, Consumer<MetricGroup> closer) {
    this.group = readerGroup.addGroup(GROUP);
    this.closer = closer;
  }

  /** The group {@code KafkaSourceReader}, for further metrics of the reader. */
  public MetricGroup group() {
    return group;
  }

  /** Registers {@code commitsSucceeded}, {@code commitsFailed} and the reader's commit gauges. */
  public void bindCommits(CommitStatus status) {
    group.counter("commitsSucceeded", new CounterView(status::succeeded));
    group.counter("commitsFailed", new CounterView(status::failed));
    group.gauge("consecutiveCommitFailures", (Gauge<Integer>) status::consecutiveFailures);
    group.gauge("commitLatency", (Gauge<Long>) status::lastLatencyMillis);
    group.gauge("commitPendingAge", (Gauge<Long>) status::pendingAgeMillis);
    group.gauge("commitState", (Gauge<Integer>) () -> status.state().code());
    group.gauge("commitPartitionsRefused", (Gauge<Integer>) () -> status.refused().size());
    group.counter("commitMetadataTrimmed", new CounterView(status::metadataTrimmed));
    group.counter("commitStepsBack", new CounterView(status::stepsBack));
  }

  /**
   * Registers the gauges that span the partitions of a reader. Call it before {@link #bind}: the
   * lags of each topic come from the tracker as well.
   */
  public synchronized void bindLag(LagTracker tracker) {
    this.tracker = tracker;
    LagTotal total = tracker.total();
    group.gauge("uncommittedAge", (Gauge<Long>) total::uncommittedAgeMillis);
    bindTotal(group, total, tracker.isolation());
  }

  private static void bindTotal(MetricGroup values, LagTotal total, IsolationLevel isolation) {
    values.gauge("recordsLag", (Gauge<Long>) () -> total.recordsLag().toGauge());
    if (isolation == IsolationLevel.READ_COMMITTED) {
      values.gauge(
          "recordsLagToHighWatermark",
          (Gauge<Long>) () -> total.recordsLagToHighWatermark().toGauge());
    }
    values.gauge("timeLag", (Gauge<Long>) () -> total.timeLagMillis().toGauge());
    values.gauge("committedLag", (Gauge<Long>) () -> total.committedLag().toGauge());
    values.gauge("recordsLost", (Gauge<Long>) total::recordsLost);
    values.gauge("lagUnknownPartitions", (Gauge<Integer>) total::unknownRecordsLags);
    values.gauge("timeLagUnknownPartitions", (Gauge<Integer>) total::unknownTimeLags);
    values.gauge("committedLagUnknownPartitions", (Gauge<Integer>) total::unknownCommittedLags);
    values.gauge("lagStatus", (Gauge<Integer>) () -> total.status().code());
  }

  /** Registers the gauges of one partition. */
  public synchronized void bind(PartitionLag lag) {
    TopicPartition partition = lag.partition();
    unbind(partition);
    MetricGroup topic = topics.computeIfAbsent(partition.topic(), this::bindTopic);
    MetricGroup values = topic.addGroup("partition", Integer.toString(partition.partition()));
    partitions.put(partition, values);
    values.gauge("currentOffset", (Gauge<Long>) () -> Math.max(-1, lag.position() - 1));
    values.gauge("committedOffset", (Gauge<Long>) lag::committedOffset);
    values.gauge("recordsLag", (Gauge<Long>) () -> lag.recordsLag().toGauge());
    values.gauge(
        "recordsLagToHighWatermark", (Gauge<Long>) () -> lag.recordsLagToHighWatermark().toGauge());
    values.gauge("highWatermark", (Gauge<Long>) lag::highWatermark);
    values.gauge("timeLag", (Gauge<Long>) () -> lag.timeLagMillis().toGauge());
    values.gauge("lagAge", (Gauge<Long>) lag::lagAgeMillis);
    values.gauge("committedLag", (Gauge<Long>) () -> lag.committedLag().toGauge());
    values.gauge("recordsLost", (Gauge<Long>) lag::recordsLost);
    values.gauge("lagStatus", (Gauge<Integer>) () -> lag.status().code());
  }

  /** Removes the gauges of a partition that left the reader. */
  public synchronized void unbind(TopicPartition partition) {
    MetricGroup values = partitions.remove(partition);
    if (values != null) {
      closer.accept(values);
      if (partitions.keySet().stream().noneMatch(p -> p.topic().equals(partition.topic()))) {
        closer.accept(topics.remove(partition.topic()));
      }
    }
  }

  private MetricGroup bindTopic(String name) {
    MetricGroup topic = group.addGroup("topic", name);
    LagTracker lags = tracker;
    if (lags != null) {
      bindTotal(topic, lags.total(name), lags.isolation());
    }
    return topic;
  }

  /** The metric group of a partition, for further metrics of it; null if it is not bound. */
  public synchronized MetricGroup partitionGroup(TopicPartition partition) {
    return partitions.get(partition);
  }

  /** Removes the gauges of all partitions. */
  @Override
  public synchronized void close() {
    partitions.values().forEach(closer);
    partitions.clear();
    topics.values().forEach(closer);
    topics.clear();
  }
}
