package io.korpse.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.deserializer.DeadLetterTopic;
import io.korpse.flink.source.testing.Commits;
import io.korpse.flink.source.testing.Received;
import io.korpse.flink.source.testing.UserJar;
import io.korpse.flink.source.testing.Values;
import io.korpse.testing.EmbeddedBroker;
import io.korpse.testing.Sender;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
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
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Classes that Kafka's configuration names and only the job's jar has: a config provider, without
 * which no client even knows a broker, a reporter of metrics, and a login. The enumerator's Admin
 * client, the fetching consumer, the committer's Admin client and the producer of dead letters each
 * need them, on threads of their own.
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
  private static final String LOGIN = "LoginOfTheUser";

  private static EmbeddedBroker broker;

  @TempDir private Path directory;

  private final String topic = "topic-" + UUID.randomUUID();

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.startWithLogin("alice", "secret");
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

    JobClient job = start(List.of(jar.toUri().toString()), withProvider(), received);

    new Commits(broker, topic).await(topic, Map.of(0, 100L));
    assertThat(received.values()).isEqualTo(written);
    job.cancel().orTimeout(60, TimeUnit.SECONDS).join();
  }

  @Test
  void without_the_jar_the_missing_class_is_named() throws Exception {
    JobClient job = start(List.of(), withProvider(), new Received<>());

    assertThatThrownBy(() -> job.getJobExecutionResult().get(90, TimeUnit.SECONDS))
        .satisfies(
            error -> assertThat(ExceptionUtils.stringifyException(error)).contains(PROVIDER));
  }

  @Test
  void every_client_logs_in_by_classes_of_the_jobs_jar() throws Exception {
    broker.createTopic(topic, 1);
    broker.createTopic(topic + "-dead", 1);
    List<String> written = Values.write(broker, topic, 0, 0, 99);
    try (Sender sender = new Sender(broker, Map.of())) {
      sender.send(topic, 0, 99L, "bad".getBytes(StandardCharsets.UTF_8));
    }
    Path jar = UserJar.of(directory, LOGIN, login());
    Properties login = new Properties();
    login.setProperty("bootstrap.servers", broker.loginServers());
    login.setProperty("security.protocol", "SASL_PLAINTEXT");
    login.setProperty("sasl.mechanism", "PLAIN");
    login.setProperty("sasl.jaas.config", LOGIN + " required;");
    login.setProperty("sasl.client.callback.handler.class", LOGIN);
    Received<String> received = new Received<>();

    JobClient job =
        start(
            List.of(jar.toUri().toString()),
            builder()
                .setProperties(login)
                .setBadRecordHandler(new DeadLetterTopic(topic + "-dead", login)),
            received);

    new Commits(broker, topic).await(topic, Map.of(0, 100L));
    assertThat(received.values()).isEqualTo(written);
    try (Admin admin = broker.admin()) {
      TopicPartition dead = new TopicPartition(topic + "-dead", 0);
      assertThat(
              admin
                  .listOffsets(Map.of(dead, OffsetSpec.latest()))
                  .partitionResult(dead)
                  .get()
                  .offset())
          .isEqualTo(1);
    }
    job.cancel().orTimeout(60, TimeUnit.SECONDS).join();
  }

  private KorpseSourceBuilder<String> withProvider() {
    return builder()
        .setBootstrapServers("${own:cluster:servers}")
        .setProperty("config.providers", "own")
        .setProperty("config.providers.own.class", PROVIDER)
        .setProperty("metric.reporters", PROVIDER);
  }

  private KorpseSourceBuilder<String> builder() {
    return KorpseSource.<String>builder()
        .setTopics(topic)
        .setGroupId(topic)
        .setStartingOffsets(OffsetsInitializer.earliest())
        .setValueOnlyDeserializer(new Picky());
  }

  private static JobClient start(
      List<String> jars, KorpseSourceBuilder<String> source, Received<String> received)
      throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    configuration.set(PipelineOptions.JARS, jars);
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    env.setParallelism(1);
    env.enableCheckpointing(200);
    received.collect(env.fromSource(source.build(), WatermarkStrategy.noWatermarks(), "source"));
    return env.executeAsync();
  }

  private static final class Picky extends SimpleStringSchema {
    private static final long serialVersionUID = 1L;

    @Override
    public String deserialize(byte[] message) {
      String text = super.deserialize(message);
      if (text.equals("bad")) {
        throw new IllegalArgumentException(text);
      }
      return text;
    }
  }

  /** A class that is both: the login, and what answers its questions. */
  private static String login() {
    return """
        import java.util.List;
        import java.util.Map;
        import javax.security.auth.Subject;
        import javax.security.auth.callback.Callback;
        import javax.security.auth.callback.CallbackHandler;
        import javax.security.auth.callback.NameCallback;
        import javax.security.auth.callback.PasswordCallback;
        import javax.security.auth.login.AppConfigurationEntry;
        import javax.security.auth.spi.LoginModule;
        import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;

        public class %s implements LoginModule, AuthenticateCallbackHandler {
          public void initialize(
              Subject subject, CallbackHandler handler, Map<String, ?> shared, Map<String, ?> own) {}
          public boolean login() {
            return true;
          }
          public boolean commit() {
            return true;
          }
          public boolean abort() {
            return false;
          }
          public boolean logout() {
            return true;
          }
          public void configure(
              Map<String, ?> config, String mechanism, List<AppConfigurationEntry> entries) {}
          public void handle(Callback[] callbacks) {
            for (Callback each : callbacks) {
              if (each instanceof NameCallback) {
                ((NameCallback) each).setName("alice");
              } else if (each instanceof PasswordCallback) {
                ((PasswordCallback) each).setPassword("secret".toCharArray());
              }
            }
          }
          public void close() {}
        }
        """
        .formatted(LOGIN);
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
