package io.korpse.flink.jobs.bench;

import static java.util.Map.entry;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** A slow sink and frequent checkpoints: how old is what the group does not cover yet? */
final class CommitScenario implements Scenario {

  private static final long SAMPLE_MILLIS = 200;

  @Override
  public String name() {
    return "commit";
  }

  @Override
  public String purpose() {
    return "Age of the oldest emitted record that is not committed, with a slow sink.";
  }

  @Override
  public Map<Option, String> defaults() {
    return Map.ofEntries(
        entry(Option.RUNS, "1"),
        entry(Option.WARMUPS, "0"),
        entry(Option.RECORDS, "400000"),
        entry(Option.PARTITIONS, "8"),
        entry(Option.SIZE, "100"),
        entry(Option.SECONDS, "60"),
        entry(Option.RATE, "20,200"),
        entry(Option.HEAP, "1g"),
        entry(Option.CONSUMER, ""));
  }

  @Override
  public List<Target> targets(Settings settings) {
    return List.of(Target.atMost("uncommittedAgeSecondsP95", 2));
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
    Figures figures = new Figures();
    double worstP50 = 0;
    double worstP95 = 0;
    for (int rate : request.options().numbers(Option.RATE)) {
      Samples ages = ages(request, rate);
      double p50 = ages.percentile(0.50);
      double p95 = ages.percentile(0.95);
      figures.put("uncommittedAgeSecondsP50At" + rate, p50);
      figures.put("uncommittedAgeSecondsP95At" + rate, p95);
      worstP50 = Math.max(worstP50, p50);
      worstP95 = Math.max(worstP95, p95);
    }
    return new Figures()
        .put("uncommittedAgeSecondsP50", worstP50)
        .put("uncommittedAgeSecondsP95", worstP95)
        .putAll(figures);
  }

  private static Samples ages(Request request, int rate) throws Exception {
    Settings settings = request.options();
    Pace pace = new Pace(rate);
    Uncommitted uncommitted = new Uncommitted(settings.number(Option.PARTITIONS));
    RecordProbe<Long> probe =
        (coordinates, context) -> {
          uncommitted.emitted(coordinates, System.nanoTime());
          pace.await();
        };
    ReadPlan<Long> plan =
        ReadPlan.of(request, Decoding.coordinates())
            .withGroup("bench-%s-%d-%d".formatted(request.source(), rate, System.nanoTime()));
    Samples ages = new Samples();
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", request.bootstrap()));
        FlinkJob job =
            FlinkJob.start(
                FlinkJob.configuration(settings),
                BenchSources.create(request.kind(), plan),
                WatermarkStrategy.noWatermarks(),
                probe)) {
      Deadline deadline = Deadline.inSeconds(settings.number(Option.SECONDS));
      while (!deadline.over()) {
        committed(admin, plan.groupId()).forEach(uncommitted::committed);
        if (uncommitted.any()) {
          ages.add(uncommitted.oldestAgeNanos(System.nanoTime()) / 1e9);
        }
        deadline.pause(SAMPLE_MILLIS);
      }
      if (!job.running()) {
        throw new IllegalStateException("The job failed: " + job.failure());
      }
    }
    return ages;
  }

  private static Map<TopicPartition, OffsetAndMetadata> committed(Admin admin, String group)
      throws Exception {
    return admin
        .listConsumerGroupOffsets(group)
        .partitionsToOffsetAndMetadata()
        .get(30, TimeUnit.SECONDS);
  }
}
