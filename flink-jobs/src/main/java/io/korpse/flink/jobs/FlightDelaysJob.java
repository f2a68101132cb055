package io.korpse.flink.jobs;

import io.korpse.flink.source.BadRecordPolicy;
import io.korpse.flink.source.KorpseSource;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.Encoder;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.filesystem.OutputFileConfig;
import org.apache.flink.streaming.api.functions.sink.filesystem.bucketassigners.BasePathBucketAssigner;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.OnCheckpointRollingPolicy;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The main job: how late flights were, by airport and day.
 *
 * <p>Reads flights from a Kafka topic through {@link KorpseSource}, averages their delay over
 * event-time windows of one day per origin, and writes CSV files. A row is written once, also when
 * the job fails and recovers.
 */
@Command(
    name = "flight-delays",
    mixinStandardHelpOptions = true,
    version = "Korpse flight-delays",
    showDefaultValues = true,
    sortOptions = false,
    description = {
      "Reads flights from a Kafka topic and writes the mean delay of each origin and day as CSV"
          + " lines day,origin,flights,meanDelay.",
      "A file is complete as soon as it has its final name, which it gets when a checkpoint is"
          + " complete."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the job has ended as asked",
      "1:the job failed, or could not be started",
      "2:an option is wrong"
    })
public final class FlightDelaysJob implements Callable<Integer> {

  /** The job's name in Flink. */
  public static final String NAME = "flight-delays";

  /** The source's name in Flink. */
  public static final String SOURCE = "flights";

  @Mixin private SourceOptions source;

  @Option(names = "--topic", paramLabel = "TOPIC", description = "Topic to read.")
  private String topic = "flights";

  @Option(
      names = "--group",
      paramLabel = "GROUP",
      description = "Consumer group: where committed positions are kept.")
  private String group = NAME;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      required = true,
      description = "Directory of the CSV files: a path, or a URI that Flink knows.")
  private String out;

  @Option(
      names = "--out-of-orderness",
      paramLabel = "MINUTES",
      description = "How far flights of one partition may be out of order.")
  private long outOfOrdernessMinutes;

  @Option(
      names = "--idle-timeout",
      paramLabel = "SECONDS",
      description =
          "Windows stop waiting for a partition after this long without a flight; what comes later"
              + " may be dropped as late. 0 waits for ever.")
  private long idleTimeoutSeconds;

  @Option(
      names = "--on-bad-record",
      paramLabel = "POLICY",
      description =
          "What happens to a value that is no flight: FAIL ends the job and names the record, SKIP"
              + " counts it.")
  private BadRecordPolicy onBadRecord = BadRecordPolicy.FAIL;

  /** Runs the job with command line options; see {@code --help}. */
  public static void main(String[] arguments) throws Exception {
    JobMain.run(new FlightDelaysJob(), arguments);
  }

  @Override
  public Integer call() throws Exception {
    StreamExecutionEnvironment environment = source.environment(topic);
    define(environment);
    environment.execute(NAME);
    return 0;
  }

  private void define(StreamExecutionEnvironment environment) {
    environment
        .fromSource(source(), watermarks(), SOURCE)
        .uid("flights")
        .keyBy(Flight::origin)
        .window(TumblingEventTimeWindows.of(Duration.ofDays(1)))
        .aggregate(new DelaySum.Aggregate(), new DailyDelay.OfWindow())
        .uid("daily-delays")
        .name("daily delays")
        .sinkTo(sink())
        .uid("csv")
        .name("csv");
  }

  private KorpseSource<Flight> source() {
    return source
        .applyTo(
            KorpseSource.<Flight>builder()
                .setTopics(topic)
                .setGroupId(group)
                .setOnBadRecord(onBadRecord)
                .setValueOnlyDeserializer(new FlightSchema()),
            key -> true)
        .build();
  }

  private WatermarkStrategy<Flight> watermarks() {
    WatermarkStrategy<Flight> strategy =
        WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofMinutes(outOfOrdernessMinutes));
    return idleTimeoutSeconds == 0
        ? strategy
        : strategy.withIdleness(Duration.ofSeconds(idleTimeoutSeconds));
  }

  private FileSink<DailyDelay> sink() {
    return FileSink.<DailyDelay>forRowFormat(directory(), new CsvLine())
        .withBucketAssigner(new BasePathBucketAssigner<>())
        .withRollingPolicy(OnCheckpointRollingPolicy.build())
        .withOutputFileConfig(
            OutputFileConfig.builder().withPartPrefix("part").withPartSuffix(".csv").build())
        .build();
  }

  /** A relative path is taken from here, not from where each TaskManager happens to run. */
  private Path directory() {
    Path path = new Path(out);
    return path.toUri().getScheme() == null && !path.isAbsolute()
        ? new Path(Paths.get(out).toAbsolutePath().toUri())
        : path;
  }

  private static final class CsvLine implements Encoder<DailyDelay> {

    private static final long serialVersionUID = 1L;

    @Override
    public void encode(DailyDelay row, OutputStream stream) throws IOException {
      stream.write((row.toCsv() + "\n").getBytes(StandardCharsets.UTF_8));
    }
  }
}
