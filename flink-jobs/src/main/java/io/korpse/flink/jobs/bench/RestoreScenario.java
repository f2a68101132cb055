package io.korpse.flink.jobs.bench;

import static java.util.Map.entry;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.SavepointFormatType;

/** A savepoint of many splits: how long until the restored job emits? */
final class RestoreScenario implements Scenario {

  private static final double RECORDS_PER_SECOND_BEFORE = 2_000;
  private static final long RECORDS_BEFORE = 4_000;

  @Override
  public String name() {
    return "restore";
  }

  @Override
  public String purpose() {
    return "Time from submitting a job with a savepoint of many splits to its first record.";
  }

  @Override
  public Map<Option, String> defaults() {
    return Map.ofEntries(
        entry(Option.RUNS, "5"),
        entry(Option.WARMUPS, "1"),
        entry(Option.RECORDS, "1000000"),
        entry(Option.PARTITIONS, "2000"),
        entry(Option.SIZE, "100"),
        entry(Option.HEAP, "2g"),
        entry(Option.CONSUMER, ""));
  }

  @Override
  public List<Target> targets(Settings settings) {
    return List.of(Target.ratioAtMost("firstRecordSeconds", SourceKind.KAFKA_SOURCE, 1));
  }

  @Override
  public List<SourceKind> sources() {
    return List.of(SourceKind.KORPSE, SourceKind.KAFKA_SOURCE);
  }

  @Override
  public void prepare(Host host, String variant, Settings settings) throws Exception {
    ThroughputScenario.fill(host, topic(variant), settings.number(Option.PARTITIONS), settings);
  }

  @Override
  public Figures work(Request request, Consumer<Figures> partial) throws Exception {
    ReadPlan<byte[]> plan = ReadPlan.of(request, Decoding.bytes());
    Configuration configuration = FlinkJob.configuration(request.options());
    configuration.setString("execution.state-recovery.path", savepoint(request, plan));
    AtomicLong firstNanos = new AtomicLong();
    RecordProbe<byte[]> probe = (value, context) -> firstNanos.compareAndSet(0, System.nanoTime());
    long submitted = System.nanoTime();
    try (FlinkJob job =
        FlinkJob.start(
            configuration,
            BenchSources.create(request.kind(), plan),
            WatermarkStrategy.noWatermarks(),
            probe)) {
      job.awaitWhileRunning(() -> firstNanos.get() != 0);
    }
    return new Figures().put("firstRecordSeconds", (firstNanos.get() - submitted) / 1e9);
  }

  private static String savepoint(Request request, ReadPlan<byte[]> plan) throws Exception {
    Path directory = Files.createTempDirectory("savepoint");
    Pace pace = new Pace(RECORDS_PER_SECOND_BEFORE);
    AtomicLong emitted = new AtomicLong();
    AtomicBoolean stopping = new AtomicBoolean();
    RecordProbe<byte[]> probe =
        (value, context) -> {
          emitted.incrementAndGet();
          if (!stopping.get()) {
            pace.await();
          }
        };
    try (FlinkJob job =
        FlinkJob.start(
            FlinkJob.configuration(request.options()),
            BenchSources.create(request.kind(), plan),
            WatermarkStrategy.noWatermarks(),
            probe)) {
      job.awaitWhileRunning(() -> emitted.get() >= RECORDS_BEFORE);
      var savepoint =
          job.client()
              .stopWithSavepoint(
                  false, directory.toUri().toString(), SavepointFormatType.CANONICAL);
      return savepoint.get(60, TimeUnit.SECONDS);
    }
  }
}
