package io.korpse.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.korpse.flink.source.testing.LogCapture;
import io.korpse.flink.source.testing.RunningJob;
import io.korpse.flink.source.testing.Values;
import io.korpse.testing.EmbeddedBroker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Passwords in the configuration show in no log, no exception and no metric. */
@Timeout(180)
final class SecretsIT {

  private static final String SECRET = "hunter2";
  private static final InMemoryReporter REPORTER = InMemoryReporter.create();

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setConfiguration(REPORTER.addToConfiguration(new Configuration()))
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(2)
              .build());

  private static EmbeddedBroker broker;

  private final String topic = "topic-" + UUID.randomUUID();
  private LogCapture log;

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @BeforeEach
  void capture() {
    log = LogCapture.start();
  }

  @AfterEach
  void stopCapture() {
    log.close();
  }

  /** W86. */
  @Test
  void a_job_that_runs_shows_none() throws Exception {
    broker.createTopic(topic, 1);
    Values.write(broker, topic, 0, 0, 100);
    try (RunningJob<String> job = RunningJob.start(source().build(), 2, null)) {
      job.awaitCount(100);

      assertThat(metrics(job))
          .containsKey("KafkaSourceReader.heldBytes")
          .noneSatisfy((name, value) -> assertThat(name + "=" + value).contains(SECRET));
    }
    assertLogged("io.korpse", "AdminClientConfig values");
  }

  @Test
  void a_job_that_fails_at_a_record_shows_none() throws Exception {
    broker.createTopic(topic, 1);
    Values.write(broker, topic, 0, 0, 1);
    KorpseSourceBuilder<String> failing = source().setValueOnlyDeserializer(new Refusing());
    try (RunningJob<String> job = RunningJob.start(failing.build(), 1, null)) {
      assertThatThrownBy(job::awaitEnd).satisfies(SecretsIT::showsNone);
    }
    assertLogged("cannot be read");
  }

  /** W86. */
  @Test
  void a_job_that_cannot_connect_shows_none() throws Exception {
    KorpseSourceBuilder<String> nowhere =
        source()
            .setBootstrapServers("localhost:1")
            .setProperty(KorpseSourceOptions.CONNECT_TIMEOUT.key(), "2 s");
    try (RunningJob<String> job = RunningJob.start(nowhere.build(), 1, null)) {
      assertThatThrownBy(job::awaitEnd)
          .satisfies(SecretsIT::showsNone)
          .satisfies(e -> assertThat(text(e)).contains("localhost:1"));
    }
    assertLogged("localhost:1");
  }

  /** W86: the login configuration is not what Kafka can parse, and Kafka says so. */
  @Test
  void a_login_that_cannot_be_parsed_shows_none() throws Exception {
    KorpseSourceBuilder<String> garbled =
        source()
            .setProperty("security.protocol", "SASL_PLAINTEXT")
            .setProperty("sasl.mechanism", "PLAIN")
            .setProperty("sasl.jaas.config", "Module password=" + SECRET);
    try (RunningJob<String> job = RunningJob.start(garbled.build(), 1, null)) {
      assertThatThrownBy(job::awaitEnd)
          .satisfies(SecretsIT::showsNone)
          .satisfies(e -> assertThat(text(e)).contains("JAAS"));
    }
    assertLogged("JAAS");
  }

  @Test
  void a_builder_that_refuses_shows_none() {
    List<KorpseSourceBuilder<String>> wrong =
        List.of(
            source().setProperty("isolation.level", "dirty"),
            source().setProperty("enable.auto.commit", "true"),
            source().setProperty("key.deserializer", "no.such.Class"),
            source().setSplitBufferRecords(0),
            source().setCommitInterval(Duration.ZERO));
    for (KorpseSourceBuilder<String> builder : wrong) {
      Throwable refused = catchThrowable(builder::build);
      assertThat(refused).isNotNull();
      showsNone(refused);
    }
    Properties objects = secrets();
    objects.put("ssl.engine.factory.class", List.of());
    showsNone(catchThrowable(() -> source().setProperties(objects)));

    source().setProperty("auto.offset.reset", "latest").setProperty("client.id", "mine").build();
    assertLogged("auto.offset.reset", "client.id");
  }

  @Test
  void the_plan_of_the_job_shows_none() {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromSource(source().build(), WatermarkStrategy.noWatermarks(), "korpse")
        .sinkTo(new DiscardingSink<>());

    assertThat(env.getExecutionPlan()).contains("korpse").doesNotContain(SECRET);
  }

  private static final class Refusing extends SimpleStringSchema {
    private static final long serialVersionUID = 1L;

    @Override
    public String deserialize(byte[] message) {
      throw new IllegalArgumentException("cannot be read");
    }
  }

  private KorpseSourceBuilder<String> source() {
    return KorpseSource.<String>builder()
        .setBootstrapServers(broker.bootstrapServers())
        .setGroupId("secrets")
        .setTopics(topic)
        .setValueOnlyDeserializer(new SimpleStringSchema())
        .setProperties(secrets());
  }

  /** Without a security protocol that uses them they are carried all the same. */
  private static Properties secrets() {
    Properties secrets = new Properties();
    secrets.setProperty(
        "sasl.jaas.config",
        "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"u\""
            + " password=\""
            + SECRET
            + "\";");
    for (String key :
        List.of(
            "ssl.key.password",
            "ssl.keystore.password",
            "ssl.truststore.password",
            "ssl.keystore.key",
            "schema.registry.basic.auth.user.info")) {
      secrets.setProperty(key, SECRET);
    }
    return secrets;
  }

  /** Each captured text is somewhere, and the secret is nowhere. */
  private void assertLogged(String... expected) {
    List<String> lines = log.lines();
    for (String text : expected) {
      assertThat(lines).as(text).anyMatch(line -> line.contains(text));
    }
    assertThat(lines).noneMatch(line -> line.contains(SECRET));
  }

  private static void showsNone(Throwable error) {
    assertThat(text(error)).doesNotContain(SECRET);
  }

  private static String text(Throwable error) {
    return ExceptionUtils.stringifyException(error);
  }

  private static Map<String, Object> metrics(RunningJob<?> job) {
    Map<String, Object> values = new TreeMap<>();
    for (Map.Entry<String, Metric> metric : REPORTER.getMetricsByIdentifiers(job.id()).entrySet()) {
      String name = metric.getKey();
      int reader = Math.max(0, name.indexOf("KafkaSourceReader"));
      Object value = metric.getValue() instanceof Gauge<?> gauge ? gauge.getValue() : "";
      values.put(name.substring(reader), value == null ? "" : value);
    }
    return values;
  }
}
