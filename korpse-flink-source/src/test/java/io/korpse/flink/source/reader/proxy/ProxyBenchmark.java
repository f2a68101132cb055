package io.korpse.flink.source.reader.proxy;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * What the fetcher thread does with a record once the client has made it. 100 bytes each, the
 * timestamps interleaved across the splits.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ProxyBenchmark {

  private static final int RECORDS = 16_000;
  private static final int CHOICES = 1_000;

  /** Splits that have records. */
  @Param({"8", "2000"})
  public int splits;

  /** How far a run may go ahead, in the time between two records of one split. */
  @Param({"0", "64"})
  public int slackRecords;

  private final ProxyStats stats = new ProxyStats();
  private final List<SplitBuffer> buffers = new ArrayList<>();
  private final List<List<ConsumerRecord<byte[], byte[]>>> polls = new ArrayList<>();
  private EventTimeChooser chooser;
  private EventTimeChooser full;

  /** Makes the records. */
  @Setup
  public void fill() {
    chooser = newChooser();
    full = newChooser();
    int each = RECORDS / splits;
    RecordWeigher weigher = RecordWeigher.of(false, false);
    for (int number = 0; number < splits; number++) {
      TopicPartition partition = new TopicPartition("benchmark", number);
      buffers.add(buffer(partition, weigher));
      List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
      for (int i = 0; i < each; i++) {
        records.add(record(partition, i, (long) i * splits + number));
      }
      polls.add(records);
      SplitBuffer ready = buffer(partition, weigher);
      ready.append(records, each, 0);
      full.ready(ready, 0);
    }
  }

  private EventTimeChooser newChooser() {
    long slack = (long) slackRecords * splits;
    return new EventTimeChooser(new OrderSlack(slack, slack, stats), Long.MAX_VALUE / 2, stats);
  }

  private static SplitBuffer buffer(TopicPartition partition, RecordWeigher weigher) {
    return new SplitBuffer(
        new KorpseSplit(
            partition, Position.of(0), KorpseSplit.NO_STOP_OFFSET, Uuid.ZERO_UUID, false),
        (offset, epoch) -> {},
        end -> {},
        new SplitStats(),
        weigher);
  }

  private static ConsumerRecord<byte[], byte[]> record(
      TopicPartition partition, long offset, long timestamp) {
    return new ConsumerRecord<>(
        partition.topic(),
        partition.partition(),
        offset,
        timestamp,
        TimestampType.CREATE_TIME,
        -1,
        100,
        null,
        new byte[100],
        new RecordHeaders(),
        Optional.of(0));
  }

  /** A poll of each split goes into its buffer. */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public long intake() {
    long bytes = 0;
    for (int i = 0; i < splits; i++) {
      SplitBuffer buffer = buffers.get(i);
      bytes += buffer.append(polls.get(i), polls.get(i).size(), 0);
      buffer.discard();
    }
    return bytes;
  }

  /** The first of all leaves the choice and comes in again, once for each run. */
  @Benchmark
  @OperationsPerInvocation(CHOICES)
  public long choosing() {
    long until = 0;
    for (int i = 0; i < CHOICES; i++) {
      SplitBuffer first = full.next(Long.MAX_VALUE, i);
      until += full.runUntil(first, Long.MAX_VALUE);
      full.notReady(first);
      full.ready(first, i);
    }
    return until;
  }

  /** Intake, and all of it into batches in event-time order. */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public long composing() {
    for (int i = 0; i < splits; i++) {
      SplitBuffer buffer = buffers.get(i);
      buffer.append(polls.get(i), polls.get(i).size(), 0);
      chooser.ready(buffer, 0);
    }
    long bytes = 0;
    while (chooser.size() > 0) {
      HandoverBatch batch = new HandoverBatch(2_048, 1 << 20, null);
      while (chooser.size() > 0 && !batch.isFull()) {
        SplitBuffer next = chooser.next(Long.MAX_VALUE, 0);
        long taken =
            next.take(batch, chooser.runUntil(next, Long.MAX_VALUE), chooser.runBytes(next));
        chooser.served(next, taken, next.hasRun(), 0);
      }
      bytes += batch.bytes();
      batch.settle();
    }
    return bytes;
  }
}
