package io.korpse.flink.jobs.bench;

import static java.util.Map.entry;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/** Large records, many partitions, a small heap and a sink that takes nearly nothing. */
final class MemoryScenario implements Scenario {

  private static final long SAMPLE_MILLIS = 100;
  private static final int SAMPLES_PER_COLLECTION = 20;

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public String purpose() {
    return "Whether a whole local job stays up with large records, a slow sink and a small heap.";
  }

  @Override
  public Map<Option, String> defaults() {
    return Map.ofEntries(
        entry(Option.RUNS, "1"),
        entry(Option.WARMUPS, "0"),
        entry(Option.RECORDS, "1280"),
        entry(Option.PARTITIONS, "64"),
        entry(Option.SIZE, "900000"),
        entry(Option.COMPRESSION, "none"),
        entry(Option.PAYLOAD, "random"),
        entry(Option.HEADERS, "0"),
        entry(Option.SECONDS, "60"),
        entry(Option.RATE, "5"),
        entry(Option.HEAP, "256m"),
        entry(Option.CONSUMER, ""));
  }

  @Override
  public List<Target> targets(Settings settings) {
    long most =
        Math.min(
            settings.count(Option.RECORDS),
            settings.count(Option.RATE) * settings.count(Option.SECONDS));
    return List.of(
        Target.atLeast("survived", 1),
        // A source that stands still needs no heap.
        Target.atLeast("recordsEmitted", most / 2.0),
        Target.atMost("heldOverBound", 1));
  }

  @Override
  public List<SourceKind> sources() {
    return List.of(SourceKind.KORPSE, SourceKind.KAFKA_SOURCE);
  }

  @Override
  public boolean freshChildPerRun() {
    return true;
  }

  @Override
  public List<String> childOptions() {
    return List.of("-XX:+ExitOnOutOfMemoryError");
  }

  @Override
  public void prepare(Host host, String variant, Settings settings) throws Exception {
    int partitions = settings.number(Option.PARTITIONS);
    host.createTopic(topic(variant), partitions);
    try (Filler filler = Filler.largeBatches(host, topic(variant), settings)) {
      filler.spread(host, partitions, settings.count(Option.RECORDS));
    }
  }

  @Override
  public Figures run(Host host, Child child, SourceKind source, String variant, Settings settings)
      throws Exception {
    Child.Outcome outcome = child.attempt(request(host, source, variant, settings, Map.of()));
    if (outcome.error().isEmpty()) {
      return outcome.figures();
    }
    host.progress("memory %s: %s%n%s".formatted(source.label(), outcome.error(), child.tail()));
    return outcome.figures().put("survived", 0);
  }

  @Override
  public Figures work(Request request, Consumer<Figures> partial) throws Exception {
    Settings settings = request.options();
    Pace pace = new Pace(settings.number(Option.RATE));
    AtomicLong emitted = new AtomicLong();
    RecordProbe<byte[]> probe =
        (value, context) -> {
          emitted.incrementAndGet();
          pace.await();
        };
    try (FlinkJob job =
        FlinkJob.start(
            FlinkJob.configuration(settings),
            BenchSources.create(request.kind(), ReadPlan.of(request, decoding(settings))),
            WatermarkStrategy.noWatermarks(),
            probe)) {
      return watch(job, emitted, settings, partial);
    }
  }

  /** With headers, one that reads them: a source may drop what its schema does not read. */
  static Decoding<byte[]> decoding(Settings settings) {
    return settings.number(Option.HEADERS) > 0 ? Decoding.bytesWithHeaders() : Decoding.bytes();
  }

  private static Figures watch(
      FlinkJob job, AtomicLong emitted, Settings settings, Consumer<Figures> partial)
      throws InterruptedException {
    Deadline deadline = Deadline.inSeconds(settings.number(Option.SECONDS));
    long started = System.nanoTime();
    Figures figures = new Figures().put("survived", 1);
    double peakBuffered = -1;
    double peakLive = 0;
    for (int sample = 1; !deadline.over(); sample++) {
      peakBuffered =
          Math.max(peakBuffered, GaugeReporter.sum("KafkaSourceReader.bufferedBytes").orElse(-1));
      if (sample % SAMPLES_PER_COLLECTION == 0) {
        peakLive = Math.max(peakLive, liveHeapBytes());
        requireRunning(job);
      }
      if (peakBuffered >= 0) {
        figures.put("peakBufferedBytes", peakBuffered);
      }
      putHeld(figures, settings.number(Option.SIZE));
      figures
          .put("liveHeapBytes", peakLive)
          .put("recordsEmitted", (double) emitted.get())
          .put("secondsUp", (System.nanoTime() - started) / 1e9);
      partial.accept(figures);
      deadline.pause(SAMPLE_MILLIS);
    }
    requireRunning(job);
    return figures;
  }

  private static void requireRunning(FlinkJob job) throws InterruptedException {
    if (!job.running()) {
      throw new IllegalStateException("The job failed: " + job.failure());
    }
  }

  /** What the reader held at most, by its own account, over what it may: nothing of the peer. */
  private static void putHeld(Figures figures, int recordBytes) {
    OptionalDouble peak = GaugeReporter.sum("KafkaSourceReader.heldBytesPeak");
    OptionalDouble most = GaugeReporter.sum("KafkaSourceReader.heldBytesMax");
    if (peak.isPresent() && most.isPresent()) {
      double poll = most.getAsDouble() / 8;
      figures
          .put("heldPeakBytes", peak.getAsDouble())
          .put("heldOverBound", peak.getAsDouble() / (most.getAsDouble() + poll + recordBytes));
    }
  }

  /** What is left after a collection. */
  private static double liveHeapBytes() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return (double) (runtime.totalMemory() - runtime.freeMemory());
  }
}
