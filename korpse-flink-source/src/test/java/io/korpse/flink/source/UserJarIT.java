package io.korpse.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.testing.Commits;
import io.korpse.flink.source.testing.Received;
import io.korpse.flink.source.testing.UserJar;
import io.korpse.flink.source.testing.Values;
import io.korpse.testing.EmbeddedBroker;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Classes that Kafka's configuration names and only the job's jar has: a config provider, without
 * which no client even knows a broker, and a reporter of metrics. The enumerator's Admin client,
 * the fetching consumer and the committer's Admin client each need them, on threads of their own.
 */
@Timeout(180)
final class UserJarIT {

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(2)
              .build());

  private static final String PROVIDER = "ProviderOfTheUser";

  private static EmbeddedBroker broker;

  @TempDir private Path directory;

  private final String topic = "topic-" + UUID.randomUUID();

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @Test
  void every_client_finds_classes_of_the_jobs_jar() throws Exception {
    broker.createTopic(topic, 1);
    List<String> written = Values.write(broker, topic, 0, 0, 100);
    Path jar = UserJar.of(directory, PROVIDER, provider(broker.bootstrapServers()));
    Received<String> received = new Received<>();

    JobClient job = start(List.of(jar.toUri().toString()), received);

    new Commits(broker, topic).await(topic, Map.of(0, 100L));
    assertThat(received.values()).isEqualTo(written);
    job.cancel().orTimeout(60, TimeUnit.SECONDS).join();
  }

  @Test
  void without_the_jar_the_missing_class_is_named() throws Exception {
    JobClient job = start(List.of(), new Received<>());

    assertThatThrownBy(() -> job.getJobExecutionResult().get(90, TimeUnit.SECONDS))
        .satisfies(
            error -> assertThat(ExceptionUtils.stringifyException(error)).contains(PROVIDER));
  }

  private JobClient start(List<String> jars, Received<String> received) throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    configuration.set(PipelineOptions.JARS, jars);
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    env.setParallelism(1);
    env.enableCheckpointing(200);
    KorpseSource<String> source =
        KorpseSource.<String>builder()
            .setBootstrapServers("${own:cluster:servers}")
            .setProperty("config.providers", "own")
            .setProperty("config.providers.own.class", PROVIDER)
            .setProperty("metric.reporters", PROVIDER)
            .setTopics(topic)
            .setGroupId(topic)
            .setStartingOffsets(OffsetsInitializer.earliest())
            .setValueOnlyDeserializer(new SimpleStringSchema())
            .build();
    received.collect(env.fromSource(source, WatermarkStrategy.noWatermarks(), "source"));
    return env.executeAsync();
  }

  /** A class that is both: it knows the address of the broker, and reports nothing. */
  private static String provider(String servers) {
    return """
        import java.util.List;
        import java.util.Map;
        import java.util.Set;
        import org.apache.kafka.common.config.ConfigData;
        import org.apache.kafka.common.config.provider.ConfigProvider;
        import org.apache.kafka.common.metrics.KafkaMetric;
        import org.apache.kafka.common.metrics.MetricsReporter;

        public class %s implements ConfigProvider, MetricsReporter {
          public void configure(Map<String, ?> config) {}
          public ConfigData get(String path) {
            return new ConfigData(Map.of("servers", "%s"));
          }
          public ConfigData get(String path, Set<String> keys) {
            return get(path);
          }
          public void init(List<KafkaMetric> metrics) {}
          public void metricChange(KafkaMetric metric) {}
          public void metricRemoval(KafkaMetric metric) {}
          public void close() {}
        }
        """
        .formatted(PROVIDER, servers);
  }
}
