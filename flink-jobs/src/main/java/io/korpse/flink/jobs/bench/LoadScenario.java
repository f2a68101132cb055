package io.korpse.flink.jobs.bench;

import static java.util.Map.entry;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/**
 * An hour of event time in very many partitions, read while it is written as fast as the machine
 * can do both: does anything grow?
 */
final class LoadScenario implements Scenario {

  /** A sample is taken so often, and at each thirty-second of all records. */
  private static final double SAMPLE_SECONDS = 2;

  private static final double SAMPLE_SHARE = 1 / 32.0;
  private static final double PATIENCE_SECONDS = 20;

  private static final Duration OUT_OF_ORDER = Duration.ofSeconds(10);

  @Override
  public String name() {
    return "load";
  }

  @Override
  public String purpose() {
    return "Whether heap, threads or clients grow over an hour of event time in many partitions.";
  }

  @Override
  public Map<Option, String> defaults() {
    return Map.ofEntries(
        entry(Option.RUNS, "1"),
        entry(Option.WARMUPS, "0"),
        entry(Option.RECORDS, "60000000"),
        entry(Option.PARTITIONS, "2000"),
        entry(Option.SIZE, "100"),
        entry(Option.COMPRESSION, "none"),
        entry(Option.PARALLELISM, "2"),
        entry(Option.HEAP, "1g"),
        entry(Option.CONSUMER, ""));
  }

  @Override
  public List<Target> targets(Settings settings) {
    return List.of(
        // Without what the buffers hold.
        Target.atMost("liveHeapGrowth", 1.1),
        Target.atMost("threadsMore", 0),
        Target.atMost("clientsMore", 0),
        Target.atMost("threadsLeft", 0),
        Target.atMost("clientsLeft", 0),
        Target.atMost("outOfSequence", 0),
        Target.atMost("lateRecords", 0));
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
  public void prepare(Host host, String variant, Settings settings) {
    // Each run fills a topic of its own while it runs.
  }

  @Override
  public Figures run(Host host, Child child, SourceKind source, String variant, Settings settings)
      throws Exception {
    String topic = "load-%s-%d".formatted(source.label(), System.nanoTime());
    int partitions = settings.number(Option.PARTITIONS);
    host.createTopic(topic, partitions);
    CompletableFuture<Void> written =
        CompletableFuture.runAsync(
            () -> {
              try (Filler filler = Filler.of(host, topic, settings)) {
                filler.spread(host, partitions, settings.count(Option.RECORDS));
              }
            },
            task -> start(task));
    Figures figures =
        child.call(
            new Request(
                name(), source.label(), host.bootstrap(), topic, settings.toMap(), Map.of()));
    written.join();
    return figures;
  }

  private static void start(Runnable task) {
    Thread writer = new Thread(task, "load");
    writer.setDaemon(true);
    writer.start();
  }

  @Override
  public Figures work(Request request, Consumer<Figures> partial) throws Exception {
    Settings settings = request.options();
    LoadProbe probe =
        new LoadProbe(settings.number(Option.PARTITIONS), settings.count(Option.RECORDS));
    LoadCensus census = new LoadCensus();
    try (FlinkJob job =
        FlinkJob.start(
            FlinkJob.configuration(settings),
            BenchSources.create(request.kind(), ReadPlan.of(request, Decoding.coordinates())),
            WatermarkStrategy.forBoundedOutOfOrderness(OUT_OF_ORDER),
            probe)) {
      while (!probe.finished()) {
        Deadline sample = Deadline.inSeconds(SAMPLE_SECONDS);
        double next = probe.share() + SAMPLE_SHARE;
        while (!probe.finished() && !sample.over() && probe.share() < next) {
          sample.pause(20);
        }
        if (!job.running()) {
          throw new IllegalStateException("The job failed: " + job.failure());
        }
        census.sample(probe.share());
        partial.accept(probe.figures().putAll(census.figures()));
      }
    }
    return probe.figures().putAll(census.figures()).putAll(LoadCensus.left(PATIENCE_SECONDS));
  }
}
