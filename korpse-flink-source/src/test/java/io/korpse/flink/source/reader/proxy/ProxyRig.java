package io.korpse.flink.source.reader.proxy;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/** A proxy on a simulated cluster in virtual time, driven step by step by one test. */
final class ProxyRig {

  final SimScheduler time = new SimScheduler();
  final SimCluster cluster = new SimCluster(time);
  final ProxyControl control = new ProxyControl();
  final ProxyStats stats = new ProxyStats();
  final PauseTimes pauses = new PauseTimes();
  final BufferBudget budget;
  final PollProxy proxy;
  final Map<String, Long> positions = new HashMap<>();
  final Map<String, SplitStats> splitStats = new HashMap<>();
  UnaryOperator<ConsumerRecord<byte[], byte[]>> hook = UnaryOperator.identity();
  SimConsumer consumer;
  int parks;

  ProxyRig(ProxyLimits limits, SimConsumerConfig config, boolean eventTime) {
    budget = new BufferBudget(limits.readerBytes());
    ProxyParts parts =
        new ProxyParts(
            (overrides, keys, values) ->
                consumer =
                    new SimConsumer(
                        cluster,
                        config.withMaxPollRecords((int) overrides.get("max.poll.records")),
                        keys,
                        values),
            limits,
            budget,
            control,
            stats,
            pauses,
            (partition, offset, divergent) ->
                CompletableFuture.completedStage(new Position(offset, -1)),
            (partition, offset) -> CompletableFuture.completedStage(offset + 1),
            this::ends,
            RecordWeigher::heapOf,
            record -> hook.apply(record),
            true,
            true,
            config.maxPollRecords(),
            true,
            eventTime,
            Duration.ofSeconds(1),
            50,
            50,
            Duration.ofSeconds(10),
            time);
    proxy =
        new PollProxy(
            parts,
            new ProxyRules() {
              @Override
              WakeSignal wakeSignal() {
                return new WakeSignal(
                    (condition, nanos) -> {
                      parks++;
                      long until = time.getAsLong() + nanos;
                      time.runNext(until);
                      return until - time.getAsLong();
                    });
              }
            });
  }

  private void ends(
      java.util.Collection<TopicPartition> partitions,
      Consumer<Map<TopicPartition, LogInspector.LogEnd>> answers) {
    Map<TopicPartition, LogInspector.LogEnd> ends = new HashMap<>();
    partitions.forEach(id -> ends.put(id, new LogInspector.LogEnd(cluster.partition(id).end(), 0)));
    answers.accept(ends);
  }

  /** Limits in the proportions of the defaults, scaled down. */
  static ProxyLimits limits(long splitHigh, long reader) {
    return new ProxyLimits(
        splitHigh,
        splitHigh / 2,
        10_000,
        5_000,
        reader,
        splitHigh / 2,
        256,
        splitHigh / 4,
        4,
        8,
        Duration.ofMillis(100));
  }

  static TopicPartition id(int partition) {
    return new TopicPartition("t", partition);
  }

  /** Appends one batch of {@code count} records of 100 B, {@code stepMillis} apart. */
  void append(int partition, int count, long firstTimestamp, long stepMillis) {
    List<SimRecord> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      records.add(SimRecord.of(firstTimestamp + i * stepMillis, 100));
    }
    cluster.append(id(partition), records);
  }

  void add(int partition, long stopOffset) {
    proxy.addSplits(
        List.of(
            new KorpseSplit(id(partition), new Position(0, -1), stopOffset, Uuid.ZERO_UUID, false)),
        new SplitListeners() {
          @Override
          public PositionListener position(String splitId) {
            return (offset, epoch) -> positions.put(splitId, offset);
          }

          @Override
          public EndListener end(String splitId) {
            return end -> {};
          }

          @Override
          public SplitStats stats(String splitId) {
            return splitStats.computeIfAbsent(splitId, id -> new SplitStats());
          }
        });
  }

  void add(int partition) {
    add(partition, KorpseSplit.NO_STOP_OFFSET);
  }

  HandoverBatch fetch() {
    try {
      return proxy.fetch();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Ends the fetch that is under way at a time from now. */
  void wakeAfter(Duration delay) {
    time.after(delay, proxy::wakeUp);
  }

  /** The records of a batch, which is then given back. */
  static List<ConsumerRecord<byte[], byte[]>> emit(HandoverBatch batch) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    while (batch.nextSplit() != null) {
      for (var record = batch.nextRecordFromSplit();
          record != null;
          record = batch.nextRecordFromSplit()) {
        records.add(record);
      }
    }
    batch.recycle();
    return records;
  }
}
