package io.korpse.flink.jobs.bench;

import static java.util.Map.entry;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A split is held by alignment, with nothing of it in any buffer; then alignment lets it go. How
 * long until the consumer hands out its next record? The other partitions are idle, so that the
 * broker holds each fetch for as long as it may.
 */
final class ResumeScenario implements Scenario {

  private static final int AHEAD = 0;
  private static final int BEHIND = 1;
  private static final long STEP_MILLIS = 60_000;
  private static final Duration DRIFT = Duration.ofSeconds(10);

  @Override
  public String name() {
    return "resume";
  }

  @Override
  public String purpose() {
    return "Time from a split's release by alignment to its next fetched record, idle ones beside.";
  }

  @Override
  public Map<Option, String> defaults() {
    return Map.ofEntries(
        entry(Option.RUNS, "1"),
        entry(Option.WARMUPS, "0"),
        entry(Option.PARTITIONS, "32"),
        entry(Option.SECONDS, "60"),
        entry(Option.HEAP, "1g"),
        entry(Option.CONSUMER, ""));
  }

  @Override
  public List<Target> targets(Settings settings) {
    return List.of(
        new Target(
            "`resumeMillisP99` less `fetchMaxWaitMillis` at most 20",
            ResumeScenario::overMaxWait,
            20,
            false,
            Set.of(SourceKind.KORPSE)),
        Target.atMost("fetchMaxWaitMillis", 100));
  }

  private static OptionalDouble overMaxWait(Report report) {
    OptionalDouble p99 = Target.median(report, "resumeMillisP99");
    OptionalDouble wait = Target.median(report, "fetchMaxWaitMillis");
    return p99.isEmpty() || wait.isEmpty()
        ? OptionalDouble.empty()
        : OptionalDouble.of(p99.getAsDouble() - wait.getAsDouble());
  }

  @Override
  public List<SourceKind> sources() {
    return List.of(SourceKind.KORPSE, SourceKind.KAFKA_SOURCE);
  }

  @Override
  public void prepare(Host host, String variant, Settings settings) {
    // Each run has a topic of its own.
  }

  @Override
  public Figures run(Host host, Child child, SourceKind source, String variant, Settings settings)
      throws Exception {
    String topic = "resume-%s-%d".formatted(source.label(), System.nanoTime());
    host.createTopic(topic, settings.number(Option.PARTITIONS));
    return child.call(
        new Request(name(), source.label(), host.bootstrap(), topic, settings.toMap(), Map.of()));
  }

  @Override
  public Figures work(Request request, Consumer<Figures> partial) throws Exception {
    FetchWatch.reset();
    Settings settings = request.options();
    ReadPlan<Long> plan =
        ReadPlan.of(request, Decoding.coordinates())
            .withProperty("interceptor.classes", FetchWatch.class.getName());
    Configuration configuration = FlinkJob.configuration(settings);
    configuration.setString("pipeline.auto-watermark-interval", "20ms");
    AtomicLong emitted = new AtomicLong();
    Samples millis = new Samples();
    try (KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(
                Map.of("bootstrap.servers", request.bootstrap(), "linger.ms", "0"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        FlinkJob job =
            FlinkJob.start(
                configuration,
                WatchedSource.of(BenchSources.create(request.kind(), plan), plan.decoding().type()),
                WatermarkStrategy.<Long>forGenerator(context -> new IdleUntilFirst())
                    .withWatermarkAlignment("resume", DRIFT, Duration.ofMillis(50)),
                (value, context) -> emitted.incrementAndGet())) {
      Cycle cycle = new Cycle(producer, request.topic(), emitted);
      cycle.send(BEHIND, Filler.EPOCH_MILLIS);
      await("the first record", () -> emitted.get() > 0);
      Deadline deadline = Deadline.inSeconds(settings.number(Option.SECONDS));
      for (int i = 1; !deadline.over(); i++) {
        millis.add(cycle.run(Filler.EPOCH_MILLIS + i * STEP_MILLIS));
        if (!job.running()) {
          throw new IllegalStateException("The job failed: " + job.failure());
        }
      }
    }
    return new Figures()
        .put("resumeMillisP50", millis.percentile(0.50))
        .put("resumeMillisP99", millis.percentile(0.99))
        .put("fetchMaxWaitMillis", FetchWatch.fetchMaxWaitMillis())
        .put("resumes", millis.size());
  }

  /** One hold and one release. */
  private record Cycle(KafkaProducer<byte[], byte[]> producer, String topic, AtomicLong emitted) {

    double run(long eventTime) throws Exception {
      int pauses = WatchedSource.pauses();
      send(AHEAD, eventTime);
      await("the pause", () -> WatchedSource.pauses() > pauses);
      // A fetch that still asks for the held partition is answered by now.
      TimeUnit.MILLISECONDS.sleep(2L * FetchWatch.fetchMaxWaitMillis());
      long offset = send(AHEAD, eventTime + 1);
      long before = WatchedSource.resumedNanos();
      send(BEHIND, eventTime);
      await("the resume", () -> WatchedSource.resumedNanos() != before);
      await("the record", () -> FetchWatch.seenNanos(AHEAD, offset) != 0);
      return (FetchWatch.seenNanos(AHEAD, offset) - WatchedSource.resumedNanos()) / 1e6;
    }

    long send(int partition, long timestamp) throws Exception {
      return producer
          .send(new ProducerRecord<>(topic, partition, timestamp, null, new byte[10]))
          .get(30, TimeUnit.SECONDS)
          .offset();
    }
  }

  private static void await(String what, BooleanSupplier condition) throws InterruptedException {
    Deadline deadline = Deadline.inSeconds(30);
    while (!condition.getAsBoolean()) {
      if (deadline.over()) {
        throw new IllegalStateException("Waited 30 s for " + what);
      }
      deadline.pause(1);
    }
  }

  /**
   * Follows the records; a split that never had one is idle, so that it does not hold alignment up.
   */
  private static final class IdleUntilFirst implements WatermarkGenerator<Long> {

    private boolean any;

    @Override
    public void onEvent(Long event, long timestamp, WatermarkOutput output) {
      any = true;
      output.emitWatermark(new Watermark(timestamp));
    }

    @Override
    public void onPeriodicEmit(WatermarkOutput output) {
      if (!any) {
        output.markIdle();
      }
    }
  }
}
