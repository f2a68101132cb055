package io.korpse.flink.jobs.bench;

import static java.util.Map.entry;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/** Partitions of unequal length that all cover the same hour, read to their ends. */
final class OrderScenario implements Scenario {

  /**
   * Eight partitions of 800,000 records, half, a quarter and so on. Such a run takes half a second,
   * so it takes many until a JVM has compiled what they need.
   */
  private static final String DEFAULT_RECORDS = "1593750";

  private static final int SIZES = 8;
  private static final long HOUR_MILLIS = 3_600_000;

  @Override
  public String name() {
    return "order";
  }

  @Override
  public String purpose() {
    return "How far out of event-time order a replay of unequal partitions comes out.";
  }

  @Override
  public Map<Option, String> defaults() {
    return Map.ofEntries(
        entry(Option.RUNS, "9"),
        entry(Option.WARMUPS, "8"),
        entry(Option.RECORDS, DEFAULT_RECORDS),
        entry(Option.PARTITIONS, "8"),
        entry(Option.SIZE, "100"),
        entry(Option.COMPRESSION, "none"),
        entry(Option.HEAP, "2g"),
        entry(Option.CONSUMER, ""));
  }

  @Override
  public List<Target> targets(Settings settings) {
    return settings.number(Option.PARTITIONS) > 8
        // With more than fits the buffer, order is as coarse as korpse.order.max-slack lets it be.
        ? List.of(Target.atMost("maxDisorderSeconds", 600))
        : List.of(
            Target.atMost("maxDisorderSeconds", 1),
            Target.ratioAtLeast("recordsPerSecond", SourceKind.KORPSE_FAIR, 0.95));
  }

  @Override
  public List<SourceKind> sources() {
    return List.of(SourceKind.KORPSE, SourceKind.KORPSE_FAIR, SourceKind.KAFKA_SOURCE);
  }

  /**
   * How many records a partition gets: each of eight half as many as the one before, then again.
   */
  static long recordsOf(int partition, int partitions, long total) {
    double weights = 0;
    for (int p = 0; p < partitions; p++) {
      weights += weight(p);
    }
    return Math.max(1, Math.round(total * weight(partition) / weights));
  }

  private static double weight(int partition) {
    return 1.0 / (1 << (partition % SIZES));
  }

  private static long recordsOfAll(Settings settings) {
    int partitions = settings.number(Option.PARTITIONS);
    long sum = 0;
    for (int p = 0; p < partitions; p++) {
      sum += recordsOf(p, partitions, settings.count(Option.RECORDS));
    }
    return sum;
  }

  @Override
  public void prepare(Host host, String variant, Settings settings) throws Exception {
    int partitions = settings.number(Option.PARTITIONS);
    host.createTopic(topic(variant), partitions);
    try (Filler filler = Filler.of(host, topic(variant), settings)) {
      for (int p = 0; p < partitions; p++) {
        long records = recordsOf(p, partitions, settings.count(Option.RECORDS));
        for (long i = 0; i < records; i++) {
          filler.add(p, Filler.EPOCH_MILLIS + i * HOUR_MILLIS / records);
        }
      }
    }
  }

  @Override
  public Figures work(Request request, Consumer<Figures> partial) throws Exception {
    DisorderProbe<byte[]> probe = new DisorderProbe<>(recordsOfAll(request.options()));
    try (PeakGauge buffered = PeakGauge.start("KafkaSourceReader.bufferedBytes");
        PeakGauge givenUp = PeakGauge.start("KafkaSourceReader.orderGivenUp");
        PeakGauge waited = PeakGauge.start("KafkaSourceReader.orderWaitTime");
        PeakGauge window = PeakGauge.start("KafkaSourceReader.windowActive");
        FlinkJob job =
            FlinkJob.start(
                FlinkJob.configuration(request.options()),
                BenchSources.create(
                    request.kind(), ReadPlan.of(request, Decoding.bytes()).untilEnd()),
                WatermarkStrategy.noWatermarks(),
                probe)) {
      job.awaitEnd();
      Figures figures = probe.figures();
      buffered.peak().ifPresent(bytes -> figures.put("peakBufferedBytes", bytes));
      givenUp.peak().ifPresent(times -> figures.put("orderGivenUp", times));
      waited.peak().ifPresent(millis -> figures.put("orderWaitMillis", millis));
      window.peak().ifPresent(active -> figures.put("windowActive", active));
      return figures;
    }
  }
}
