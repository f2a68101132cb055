package io.korpse.flink.jobs.bench;

import static java.util.Map.entry;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Consumer;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/** A full topic, read once to its end into a sink that keeps nothing. */
final class ThroughputScenario implements Scenario {

  @Override
  public String name() {
    return "throughput";
  }

  @Override
  public String purpose() {
    return "Rate, CPU and allocation per record of a bounded read, in steady state.";
  }

  @Override
  public Map<Option, String> defaults() {
    return Map.ofEntries(
        entry(Option.RUNS, "5"),
        entry(Option.WARMUPS, "3"),
        entry(Option.RECORDS, "20000000"),
        entry(Option.PARTITIONS, "8"),
        entry(Option.SIZE, "100"),
        entry(Option.COMPRESSION, "none"),
        entry(Option.PAYLOAD, "random"),
        entry(Option.HEADERS, "0"),
        entry(Option.KEYS, "false"),
        entry(Option.VALUES, "bytes"),
        entry(Option.HEAP, "2g"),
        entry(Option.CONSUMER, ""));
  }

  @Override
  public List<Target> targets(Settings settings) {
    boolean plain =
        settings.number(Option.SIZE) == 100
            && settings.text(Option.COMPRESSION).equals("none")
            && settings.number(Option.HEADERS) == 0
            && !settings.flag(Option.KEYS);
    if (!plain) {
      return List.of(
          Target.ratioAtLeast("recordsPerSecond", SourceKind.KAFKA_SOURCE, 1.10),
          Target.ratioAtMost("cpuNanosPerRecord", SourceKind.KAFKA_SOURCE, 0.85));
    }
    return List.of(
        Target.ratioAtLeast("recordsPerSecond", SourceKind.KAFKA_SOURCE, 1.20),
        Target.ratioAtMost("cpuNanosPerRecord", SourceKind.KAFKA_SOURCE, 0.80),
        Target.ratioAtMost("cpuNanosPerRecord", SourceKind.RAW, 1.35),
        Target.ratioAtMost("allocatedOverRaw", SourceKind.KAFKA_SOURCE, 0.80)
            .beside(SourceKind.RAW));
  }

  @Override
  public List<SourceKind> sources() {
    return List.of(SourceKind.KORPSE, SourceKind.KAFKA_SOURCE, SourceKind.RAW);
  }

  @Override
  public void prepare(Host host, String variant, Settings settings) throws Exception {
    fill(host, topic(variant), settings.number(Option.PARTITIONS), settings);
  }

  static void fill(Host host, String topic, int partitions, Settings settings) throws Exception {
    host.createTopic(topic, partitions);
    try (Filler filler = Filler.of(host, topic, settings)) {
      filler.spread(host, partitions, settings.count(Option.RECORDS));
    }
  }

  @Override
  public Figures work(Request request, Consumer<Figures> partial) throws Exception {
    return request.options().text(Option.VALUES).equals("string")
        ? read(request, Decoding.strings())
        : read(request, Decoding.bytes());
  }

  static <T> Figures read(Request request, Decoding<T> decoding) throws Exception {
    Settings settings = request.options();
    ReadPlan<T> plan = ReadPlan.of(request, decoding).untilEnd();
    SteadyProbe<T> probe = SteadyProbe.of(settings.count(Option.RECORDS));
    if (request.kind() == SourceKind.RAW) {
      RawLoop.run(plan, probe, probe::finished);
    } else {
      try (FlinkJob job =
          FlinkJob.start(
              FlinkJob.configuration(settings),
              BenchSources.create(request.kind(), plan),
              WatermarkStrategy.noWatermarks(),
              probe)) {
        job.awaitEnd();
      }
    }
    return probe.figures();
  }

  @Override
  public void compare(Map<SourceKind, Figures> round) {
    Figures raw = round.get(SourceKind.RAW);
    if (raw == null) {
      return;
    }
    double bare = raw.get("allocatedBytesPerRecord").orElseThrow();
    round.forEach(
        (source, figures) -> {
          OptionalDouble own = figures.get("allocatedBytesPerRecord");
          if (source != SourceKind.RAW && own.isPresent()) {
            figures.put("allocatedOverRaw", own.getAsDouble() - bare);
          }
        });
  }
}
