package io.korpse.flink.jobs;

import io.korpse.flink.source.KorpseSourceBuilder;
import io.korpse.flink.source.OffsetsInitializer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Properties;
import java.util.function.Predicate;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that all jobs have for what they read, and for their checkpoints. */
final class SourceOptions {

  private static final Duration TIME_TO_CONNECT = Duration.ofSeconds(15);

  @Option(
      names = "--bootstrap-server",
      paramLabel = "HOST:PORT[,...]",
      required = true,
      description = "Where the Kafka brokers are.")
  private String bootstrapServers;

  @Option(
      names = "--start",
      paramLabel = "WHERE",
      converter = StartPosition.class,
      defaultValue = "committed",
      description =
          "Where to start without a savepoint: committed (else the start of the log), earliest,"
              + " latest, or a time such as 2001-03-09T00:00:00Z.")
  private OffsetsInitializer start;

  @Option(
      names = "--bounded",
      description = "End at what is in the topic now; all results are written then.")
  private boolean bounded;

  @Option(
      names = "--checkpoint-interval",
      paramLabel = "MILLISECONDS",
      description = "Time between checkpoints; results and commits come at this pace.")
  private long checkpointIntervalMillis = 10_000;

  @Mixin private ClientOptions clients;

  String bootstrapServers() {
    return bootstrapServers;
  }

  /** All settings of Kafka clients and source. */
  Map<String, String> settings() {
    return clients.settings();
  }

  /**
   * Checks the topics and returns the environment with its checkpoints.
   *
   * @throws StartupException when a topic or the broker is not there
   */
  StreamExecutionEnvironment environment(String... topics) {
    Properties kafka = new Properties();
    kafka.putAll(settings());
    TopicCheck.require(bootstrapServers, Arrays.asList(topics), kafka, TIME_TO_CONNECT);
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
    environment.enableCheckpointing(checkpointIntervalMillis);
    return environment;
  }

  /**
   * Gives a source what was chosen.
   *
   * @param known which of the settings it takes
   */
  <T> KorpseSourceBuilder<T> applyTo(KorpseSourceBuilder<T> builder, Predicate<String> known) {
    builder.setBootstrapServers(bootstrapServers).setStartingOffsets(start);
    settings()
        .forEach(
            (key, value) -> {
              if (known.test(key)) {
                builder.setProperty(key, value);
              }
            });
    return bounded ? builder.setBounded(OffsetsInitializer.latest()) : builder;
  }
}
