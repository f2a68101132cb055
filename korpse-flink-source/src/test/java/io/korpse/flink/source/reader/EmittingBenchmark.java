package io.korpse.flink.source.reader;

import io.korpse.flink.source.BadRecordPolicy;
import io.korpse.flink.source.TombstonePolicy;
import io.korpse.flink.source.deserializer.KafkaRecordDeserializationSchema;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** What the task thread does with a record of 100 bytes, read as a string, without Flink's part. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EmittingBenchmark implements SourceOutput<String> {

  private static final int RECORDS = 2_000;
  private static final TopicPartition PARTITION = new TopicPartition("benchmark", 0);

  private final KorpseSplitState state =
      new KorpseSplitState(
          new KorpseSplit(
              PARTITION, Position.of(0), KorpseSplit.NO_STOP_OFFSET, Uuid.ZERO_UUID, false));
  private ConsumerRecord<byte[], byte[]>[] records;
  private KorpseRecordEmitter<String> emitter;
  private long collected;

  /** Makes the records. */
  @Setup
  @SuppressWarnings({"unchecked", "rawtypes"})
  public void fill() {
    records = new ConsumerRecord[RECORDS];
    for (int i = 0; i < RECORDS; i++) {
      records[i] = new ConsumerRecord<>(PARTITION.topic(), 0, i, null, new byte[100]);
    }
    BadRecords bad =
        new BadRecords(
            BadRecordPolicy.FAIL,
            Optional.empty(),
            0,
            Duration.ofMinutes(1),
            new SimpleCounter(),
            new SimpleCounter(),
            System::nanoTime);
    emitter =
        new KorpseRecordEmitter<>(
            KafkaRecordDeserializationSchema.valueOnly(new SimpleStringSchema()),
            TombstonePolicy.SKIP,
            bad,
            null,
            new SimpleCounter());
  }

  /** Deserializes, emits and moves the position. */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public long emitting() throws Exception {
    for (ConsumerRecord<byte[], byte[]> record : records) {
      emitter.emitRecord(record, this, state);
    }
    return collected;
  }

  @Override
  public void collect(String element) {
    collected += element.length();
  }

  @Override
  public void collect(String element, long timestamp) {
    collected += element.length();
  }

  @Override
  public void emitWatermark(Watermark watermark) {}

  @Override
  public void markIdle() {}

  @Override
  public void markActive() {}
}
