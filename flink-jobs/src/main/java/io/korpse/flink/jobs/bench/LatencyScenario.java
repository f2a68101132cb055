package io.korpse.flink.jobs.bench;

import static java.util.Map.entry;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/** A steady, modest rate: how long from the producer's send to the sink? */
final class LatencyScenario implements Scenario {

  private static final double SECONDS_BEFORE = 5;

  @Override
  public String name() {
    return "latency";
  }

  @Override
  public String purpose() {
    return "Time from the producer's send to the sink at a modest rate.";
  }

  @Override
  public Map<Option, String> defaults() {
    return Map.ofEntries(
        entry(Option.RUNS, "5"),
        entry(Option.WARMUPS, "1"),
        entry(Option.PARTITIONS, "8"),
        entry(Option.SIZE, "100"),
        entry(Option.SECONDS, "20"),
        entry(Option.RATE, "5000"),
        entry(Option.HEAP, "1g"),
        entry(Option.CONSUMER, ""));
  }

  @Override
  public List<Target> targets(Settings settings) {
    return List.of(
        Target.ratioAtMost("latencyMillisP50", SourceKind.KAFKA_SOURCE, 1),
        Target.ratioAtMost("latencyMillisP99", SourceKind.KAFKA_SOURCE, 1),
        Target.ratioAtMost("latencyMillisP999", SourceKind.KAFKA_SOURCE, 1.1));
  }

  @Override
  public List<SourceKind> sources() {
    return List.of(SourceKind.KORPSE, SourceKind.KAFKA_SOURCE, SourceKind.RAW);
  }

  @Override
  public void prepare(Host host, String variant, Settings settings) {
    // Each run has a topic of its own, filled while it runs.
  }

  @Override
  public Figures run(Host host, Child child, SourceKind source, String variant, Settings settings)
      throws Exception {
    String topic = "latency-%s-%d".formatted(source.label(), System.nanoTime());
    host.createTopic(topic, settings.number(Option.PARTITIONS));
    try (Load load = Load.start(host, topic, settings, settings.number(Option.RATE))) {
      Figures figures =
          child.call(
              new Request(
                  name(), source.label(), host.bootstrap(), topic, settings.toMap(), Map.of()));
      load.check();
      return figures;
    }
  }

  @Override
  public Figures work(Request request, Consumer<Figures> partial) throws Exception {
    Settings settings = request.options();
    LatencyProbe probe = new LatencyProbe(SECONDS_BEFORE, settings.number(Option.SECONDS));
    ReadPlan<byte[]> plan = ReadPlan.of(request, Decoding.bytes());
    if (request.kind() == SourceKind.RAW) {
      RawLoop.run(plan, probe, probe::finished);
    } else {
      try (FlinkJob job =
          FlinkJob.start(
              FlinkJob.configuration(settings),
              BenchSources.create(request.kind(), plan),
              WatermarkStrategy.noWatermarks(),
              probe)) {
        job.awaitWhileRunning(probe::finished);
      }
    }
    return probe.figures();
  }
}
