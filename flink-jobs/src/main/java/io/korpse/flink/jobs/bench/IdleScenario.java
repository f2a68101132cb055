package io.korpse.flink.jobs.bench;

import static java.util.Map.entry;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Consumer;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.Source;

/** Nothing to read: what does waiting cost? */
final class IdleScenario implements Scenario {

  private static final double SECONDS_BEFORE = 10;

  @Override
  public String name() {
    return "idle";
  }

  @Override
  public String purpose() {
    return "CPU of a job whose topic stays empty, in percent of one core.";
  }

  @Override
  public Map<Option, String> defaults() {
    return Map.ofEntries(
        entry(Option.RUNS, "3"),
        entry(Option.WARMUPS, "1"),
        entry(Option.PARTITIONS, "200"),
        entry(Option.SECONDS, "30"),
        entry(Option.HEAP, "1g"),
        entry(Option.CONSUMER, ""));
  }

  @Override
  public List<Target> targets(Settings settings) {
    return List.of(
        Target.ratioAtMost("netCpuPercent", SourceKind.RAW, 1.2).beside(SourceKind.FLINK));
  }

  @Override
  public List<SourceKind> sources() {
    return List.of(SourceKind.KORPSE, SourceKind.KAFKA_SOURCE, SourceKind.RAW, SourceKind.FLINK);
  }

  @Override
  public void prepare(Host host, String variant, Settings settings) throws Exception {
    host.createTopic(topic(variant), settings.number(Option.PARTITIONS));
  }

  @Override
  public Figures work(Request request, Consumer<Figures> partial) throws Exception {
    int seconds = request.options().number(Option.SECONDS);
    if (request.kind() == SourceKind.RAW) {
      return measureRaw(request, seconds);
    }
    Source<byte[], ?, ?> source =
        request.kind() == SourceKind.FLINK
            ? new IdleSource()
            : BenchSources.create(request.kind(), ReadPlan.of(request, Decoding.bytes()));
    try (FlinkJob job =
        FlinkJob.start(
            FlinkJob.configuration(request.options()),
            source,
            WatermarkStrategy.noWatermarks(),
            (value, context) -> {})) {
      Deadline.inSeconds(SECONDS_BEFORE).pause(60_000);
      Meter start = Meter.now();
      Deadline.inSeconds(seconds).pause(seconds * 1000L);
      Meter end = Meter.now();
      if (!job.running()) {
        throw new IllegalStateException("The job failed: " + job.failure());
      }
      return figures(start, end);
    }
  }

  private static Figures measureRaw(Request request, int seconds) throws Exception {
    Deadline before = Deadline.inSeconds(SECONDS_BEFORE);
    Deadline over = Deadline.inSeconds(SECONDS_BEFORE + seconds);
    Meter[] start = new Meter[1];
    RawLoop.run(
        ReadPlan.of(request, Decoding.bytes()),
        (value, context) -> {},
        () -> {
          if (start[0] == null && before.over()) {
            start[0] = Meter.now();
          }
          return over.over();
        });
    return figures(start[0], Meter.now());
  }

  private static Figures figures(Meter start, Meter end) {
    return new Figures()
        .put("cpuPercent", 100 * end.cpuSecondsSince(start) / end.secondsSince(start));
  }

  @Override
  public void compare(Map<SourceKind, Figures> round) {
    OptionalDouble flink =
        round.containsKey(SourceKind.FLINK)
            ? round.get(SourceKind.FLINK).get("cpuPercent")
            : OptionalDouble.empty();
    if (flink.isEmpty()) {
      return;
    }
    round.forEach(
        (source, figures) -> {
          if (source != SourceKind.FLINK) {
            double own = figures.get("cpuPercent").orElseThrow();
            double under = source == SourceKind.RAW ? 0 : flink.getAsDouble();
            figures.put("netCpuPercent", own - under);
          }
        });
  }
}
