package io.korpse.flink.jobs.bench;

import static java.util.Map.entry;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The same records in ever more partitions. */
final class PartitionsScenario implements Scenario {

  @Override
  public String name() {
    return "partitions";
  }

  @Override
  public String purpose() {
    return "Rate and CPU per record as the number of partitions grows, and the first record.";
  }

  @Override
  public Map<Option, String> defaults() {
    return Map.ofEntries(
        entry(Option.RUNS, "5"),
        entry(Option.WARMUPS, "3"),
        entry(Option.RECORDS, "6000000"),
        entry(Option.PARTITIONS, "8,200,2000"),
        entry(Option.SIZE, "100"),
        entry(Option.COMPRESSION, "none"),
        entry(Option.HEAP, "2g"),
        entry(Option.CONSUMER, ""));
  }

  @Override
  public List<Target> targets(Settings settings) {
    return List.of(
        Target.ratioAtMost("cpuNanosPerRecord", SourceKind.KAFKA_SOURCE, 0.40),
        Target.ratioAtMost("cpuNanosPerRecord", SourceKind.RAW, 1.5),
        Target.atMost("firstRecordSeconds", 5));
  }

  @Override
  public List<SourceKind> sources() {
    return List.of(SourceKind.KORPSE, SourceKind.KAFKA_SOURCE, SourceKind.RAW);
  }

  @Override
  public List<String> variants(Settings settings) {
    return Arrays.stream(settings.text(Option.PARTITIONS).split(",", -1))
        .map(String::trim)
        .toList();
  }

  @Override
  public void prepare(Host host, String variant, Settings settings) throws Exception {
    ThroughputScenario.fill(host, topic(variant), Integer.parseInt(variant), settings);
  }

  @Override
  public Figures work(Request request, Consumer<Figures> partial) throws Exception {
    return ThroughputScenario.read(request, Decoding.bytes());
  }
}
