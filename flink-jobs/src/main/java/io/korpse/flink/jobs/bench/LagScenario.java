package io.korpse.flink.jobs.bench;

import static java.util.Map.entry;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/** More is produced than the sink takes, two partitions are held: is the reported lag true? */
final class LagScenario implements Scenario {

  private static final long SAMPLE_MILLIS = 100;
  private static final double SECONDS_BEFORE = 2;
  private static final int HELD = 2;

  /** The truth is as old as the question; an answer that took longer is no truth. */
  private static final long LONGEST_QUESTION_NANOS = 50_000_000;

  @Override
  public String name() {
    return "lag";
  }

  @Override
  public String purpose() {
    return "Error of the reported lag against the truth, in seconds of production.";
  }

  @Override
  public Map<Option, String> defaults() {
    return Map.ofEntries(
        entry(Option.RUNS, "3"),
        entry(Option.WARMUPS, "0"),
        entry(Option.PARTITIONS, "8"),
        entry(Option.SIZE, "100"),
        entry(Option.SECONDS, "30"),
        entry(Option.RATE, "20000,10000"),
        entry(Option.HEAP, "1g"),
        entry(Option.CONSUMER, ""));
  }

  @Override
  public List<Target> targets(Settings settings) {
    return List.of(Target.atMost("lagErrorSecondsP99", 1), Target.atMost("unknownShare", 0.01));
  }

  @Override
  public List<SourceKind> sources() {
    return List.of(SourceKind.KORPSE, SourceKind.KAFKA_SOURCE);
  }

  @Override
  public void prepare(Host host, String variant, Settings settings) {
    // Each run fills a topic of its own while it runs.
  }

  @Override
  public Figures run(Host host, Child child, SourceKind source, String variant, Settings settings)
      throws Exception {
    String topic = "lag-%s-%d".formatted(source.label(), System.nanoTime());
    host.createTopic(topic, settings.number(Option.PARTITIONS));
    try (Load load = Load.start(host, topic, settings, settings.numbers(Option.RATE).get(0))) {
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
    int partitions = settings.number(Option.PARTITIONS);
    double produced = settings.numbers(Option.RATE).get(0);
    Pace pace = new Pace(settings.numbers(Option.RATE).get(1));
    AtomicLongArray next = new AtomicLongArray(partitions);
    CountDownLatch started = new CountDownLatch(1);
    RecordProbe<Long> probe =
        (coordinates, context) -> {
          next.set(Coordinates.partition(coordinates), Coordinates.offset(coordinates) + 1);
          started.countDown();
          pace.await();
        };
    Samples errors = new Samples();
    double unknown = 0;
    double samples = 0;
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", request.bootstrap()));
        FlinkJob job =
            FlinkJob.start(
                FlinkJob.configuration(settings),
                BenchSources.create(request.kind(), ReadPlan.of(request, Decoding.coordinates())),
                Watermarks.holdingFrom(partitions - HELD),
                probe)) {
      if (!started.await(60, TimeUnit.SECONDS)) {
        throw new IllegalStateException("No record within 60 s: " + job.failure());
      }
      Deadline.inSeconds(SECONDS_BEFORE).pause(10_000);
      Deadline deadline = Deadline.inSeconds(settings.number(Option.SECONDS));
      while (!deadline.over()) {
        long asked = System.nanoTime();
        double end = end(admin, request.topic(), partitions);
        if (System.nanoTime() - asked > LONGEST_QUESTION_NANOS) {
          continue;
        }
        OptionalDouble reported = GaugeReporter.sum("pendingRecords");
        double emitted = 0;
        for (int p = 0; p < partitions; p++) {
          emitted += next.get(p);
        }
        samples++;
        if (reported.isEmpty() || reported.getAsDouble() < 0) {
          unknown++;
        } else {
          errors.add(Math.abs(reported.getAsDouble() - (end - emitted)) / produced);
        }
        deadline.pause(SAMPLE_MILLIS);
      }
      if (!job.running()) {
        throw new IllegalStateException("The job failed: " + job.failure());
      }
    }
    if (samples == 0) {
      throw new IllegalStateException("The broker never told its log ends in time");
    }
    return new Figures()
        .put("lagErrorSecondsP50", errors.percentile(0.50))
        .put("lagErrorSecondsP99", errors.percentile(0.99))
        .put("unknownShare", unknown / samples)
        .put("samples", samples);
  }

  private static double end(Admin admin, String topic, int partitions) throws Exception {
    Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
    for (int p = 0; p < partitions; p++) {
      wanted.put(new TopicPartition(topic, p), OffsetSpec.latest());
    }
    double sum = 0;
    for (ListOffsetsResultInfo info :
        admin.listOffsets(wanted).all().get(30, TimeUnit.SECONDS).values()) {
      sum += info.offset();
    }
    return sum;
  }
}
