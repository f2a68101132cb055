package io.korpse.flink.jobs.bench;

import static java.util.Map.entry;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/**
 * Real records, parsed to a class and counted by key: what is left of a source's speed in a real
 * job?
 */
final class JsonScenario implements Scenario {

  private static final String FLIGHTS = "data/flights-20k.json.gz";
  private static final long HOUR_MILLIS = 3_600_000;

  @Override
  public String name() {
    return "json";
  }

  @Override
  public String purpose() {
    return "Rate and CPU of flight records parsed to a class and counted by origin.";
  }

  @Override
  public Map<Option, String> defaults() {
    return Map.ofEntries(
        entry(Option.RUNS, "5"),
        entry(Option.WARMUPS, "3"),
        entry(Option.RECORDS, "6000000"),
        entry(Option.PARTITIONS, "8"),
        entry(Option.COMPRESSION, "none"),
        entry(Option.PARALLELISM, "1"),
        entry(Option.HEAP, "2g"),
        entry(Option.CONSUMER, ""));
  }

  @Override
  public List<Target> targets(Settings settings) {
    return List.of(
        Target.ratioAtLeast("recordsPerSecond", SourceKind.KAFKA_SOURCE, 1.15),
        Target.ratioAtLeast(
            SourceKind.KORPSE_2_EARLY, "recordsPerSecond", SourceKind.KAFKA_SOURCE, 1.15));
  }

  @Override
  public List<SourceKind> sources() {
    return List.of(
        SourceKind.KORPSE,
        SourceKind.KORPSE_EARLY,
        SourceKind.KORPSE_2,
        SourceKind.KORPSE_2_EARLY,
        SourceKind.KAFKA_SOURCE);
  }

  @Override
  public void prepare(Host host, String variant, Settings settings) throws Exception {
    List<byte[]> flights = flights(host.module().resolve(FLIGHTS));
    int partitions = settings.number(Option.PARTITIONS);
    long records = settings.count(Option.RECORDS);
    host.createTopic(topic(variant), partitions);
    try (Filler filler = Filler.of(host, topic(variant), settings)) {
      for (long i = 0; i < records; i++) {
        filler.add(
            (int) (i % partitions),
            Filler.EPOCH_MILLIS + i * HOUR_MILLIS / records,
            flights.get((int) (i % flights.size())));
      }
    }
  }

  private static List<byte[]> flights(Path file) throws IOException {
    List<byte[]> flights = new ArrayList<>();
    try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
      for (JsonNode flight : new ObjectMapper().readTree(in)) {
        flights.add(flight.toString().getBytes(StandardCharsets.UTF_8));
      }
    }
    return flights;
  }

  @Override
  public Figures work(Request request, Consumer<Figures> partial) throws Exception {
    Settings settings = request.options();
    ReadPlan<FlightParser.Flight> plan =
        ReadPlan.of(request, new Decoding.Value<>(new FlightParser())).untilEnd();
    SteadyProbe<Long> probe = SteadyProbe.of(settings.count(Option.RECORDS));
    try (FlinkJob job =
        FlinkJob.start(
            FlinkJob.configuration(settings),
            BenchSources.create(request.kind(), plan),
            WatermarkStrategy.noWatermarks(),
            flights ->
                flights.keyBy(flight -> flight.origin, Types.STRING).map(new Count()).uid("count"),
            probe)) {
      job.awaitEnd();
    }
    return probe.figures();
  }

  /** The number of records of the key so far. */
  private static final class Count extends RichMapFunction<FlightParser.Flight, Long> {

    private transient ValueState<Long> count;

    @Override
    public void open(OpenContext context) {
      count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
    }

    @Override
    public Long map(FlightParser.Flight flight) throws Exception {
      Long before = count.value();
      long now = before == null ? 1 : before + 1;
      count.update(now);
      return now;
    }
  }
}
