package io.korpse.flink.jobs.bench;

import static java.util.Map.entry;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.flink.api.connector.sink2.SinkWriter;

/** A quarter of the partitions is held by alignment: what do the others lose? */
final class IsolationScenario implements Scenario {

  @Override
  public String name() {
    return "isolation";
  }

  @Override
  public String purpose() {
    return "Throughput of 12 partitions beside 4 held ones, over their throughput alone.";
  }

  @Override
  public Map<Option, String> defaults() {
    return Map.ofEntries(
        entry(Option.RUNS, "5"),
        entry(Option.WARMUPS, "1"),
        entry(Option.RECORDS, "12000000"),
        entry(Option.PARTITIONS, "16"),
        entry(Option.SIZE, "100"),
        entry(Option.HEAP, "2g"),
        entry(Option.CONSUMER, ""));
  }

  @Override
  public List<Target> targets(Settings settings) {
    return List.of(Target.atLeast("unaffectedShare", 0.95));
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
    int partitions = request.options().number(Option.PARTITIONS);
    int free = partitions - Math.max(1, partitions / 4);
    ReadPlan<Long> all = ReadPlan.of(request, Decoding.coordinates());
    double alone =
        rate(request, all.onlyPartitions(IntStream.range(0, free).boxed().toList()), free);
    double beside = rate(request, all, free);
    return new Figures()
        .put("unaffectedShare", beside / alone)
        .put("recordsPerSecondAlone", alone)
        .put("recordsPerSecondBeside", beside);
  }

  private static double rate(Request request, ReadPlan<Long> plan, int free) throws Exception {
    Settings settings = request.options();
    long records = settings.count(Option.RECORDS);
    int partitions = settings.number(Option.PARTITIONS);
    long expected =
        IntStream.range(0, free)
            .mapToLong(p -> records / partitions + (p < records % partitions ? 1 : 0))
            .sum();
    SteadyProbe<Long> steady = SteadyProbe.of(expected);
    RecordProbe<Long> probe =
        (Long coordinates, SinkWriter.Context context) -> {
          if (Coordinates.partition(coordinates) < free) {
            steady.accept(coordinates, context);
          }
        };
    try (FlinkJob job =
        FlinkJob.start(
            FlinkJob.configuration(settings),
            BenchSources.create(request.kind(), plan),
            Watermarks.holdingFrom(free),
            probe)) {
      job.awaitWhileRunning(steady::finished);
    }
    return steady.figures().get("recordsPerSecond").orElseThrow();
  }
}
