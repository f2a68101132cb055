package io.korpse.flink.jobs.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.jobs.local.Await;
import io.korpse.flink.jobs.local.Classpath;
import io.korpse.flink.jobs.local.Workspace;
import io.korpse.flink.source.KorpseSource;
import io.korpse.flink.source.OffsetsInitializer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.ExceptionUtils;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs at a broker with TLS, logins and access rules; what is missing is named. */
@Timeout(240)
final class SecurityIT {

  private static final String SECRET = "Geheimnis-4711";
  private static final String WRONG = "Irrtum-0815";
  private static final int COMMITS_SUSPENDED = 4;
  private static final int VALUES = 10;
  private static final InMemoryReporter METRICS = InMemoryReporter.createWithRetainedMetrics();

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(1)
              .setConfiguration(METRICS.addToConfiguration(new Configuration()))
              .build());

  private static Workspace workspace;
  private static Certificates clientCertificate;
  private static SecureKafka kafka;

  private final String topic = "topic-" + UUID.randomUUID();
  private final String group = "group-" + UUID.randomUUID();

  @BeforeAll
  static void startBroker() throws Exception {
    workspace = Workspace.create("korpse-security-");
    clientCertificate =
        Certificates.make(
            workspace.subdirectory("certificates"), "client", SECRET, "-validity", "30");
    kafka =
        SecureKafka.start(
            workspace,
            Classpath.of(Path.of("target")),
            SECRET,
            clientCertificate,
            Map.of("reader", SECRET, "stranger", SECRET));
    kafka.setPassword("reader", SECRET);
  }

  @AfterAll
  static void stopBroker() {
    workspace.close();
  }

  @BeforeEach
  void createTopic() throws Exception {
    kafka.createTopic(topic, VALUES);
  }

  @Test
  void reads_over_tls_with_a_pem_certificate() throws Exception {
    assertReads(kafka.client(SecureKafka.TLS));
  }

  @Test
  void shows_a_pem_certificate_of_its_own_and_has_the_rights_of_its_name() throws Exception {
    Map<String, String> client = kafka.client(SecureKafka.MUTUAL);
    client.put("ssl.keystore.type", "PEM");
    client.put("ssl.keystore.key", clientCertificate.privateKey());
    client.put("ssl.keystore.certificate.chain", clientCertificate.certificate());
    assertFails(client, topic, "Topic authorization failed");

    allowReading("CN=client");
    assertReads(client);
  }

  @Test
  void a_broker_that_is_not_trusted_is_not_read_from() throws Exception {
    Map<String, String> client = kafka.client(SecureKafka.TLS);
    client.put("ssl.truststore.certificates", clientCertificate.certificate());

    assertFails(client, "SSL handshake failed", "PKIX path");
  }

  @Test
  void an_expired_certificate_is_told_as_such() throws Exception {
    assertFails(kafka.client(SecureKafka.EXPIRED), "SSL handshake failed", "NotAfter");
  }

  @ParameterizedTest
  @CsvSource({
    "PLAIN, Invalid username or password",
    "SCRAM-SHA-256, invalid credentials with SASL mechanism SCRAM-SHA-256"
  })
  void a_password_lets_in_and_a_wrong_one_does_not(String mechanism, String reason)
      throws Exception {
    allowReading("reader");

    assertReads(kafka.login(mechanism, "reader", SECRET));
    assertThat(assertFails(kafka.login(mechanism, "reader", WRONG), reason)).doesNotContain(WRONG);
  }

  @Test
  void a_missing_right_on_the_topic_names_the_topic() throws Exception {
    Map<String, String> stranger = kafka.login("PLAIN", "stranger", SECRET);
    assertFails(stranger, topic, "Topic authorization failed");

    // Now it sees the topic, and still must not read it.
    kafka.allow("stranger", ResourceType.TOPIC, topic, AclOperation.DESCRIBE);
    assertFails(stranger, topic, "Not authorized to access topics");
  }

  @Test
  void a_missing_right_on_the_group_names_the_group_when_the_start_depends_on_it()
      throws Exception {
    kafka.allow("stranger", ResourceType.TOPIC, topic, AclOperation.READ);

    assertThat(
            failure(
                kafka.login("PLAIN", "stranger", SECRET),
                OffsetsInitializer.committedOffsets(OffsetsInitializer.earliest())))
        .contains(group)
        .containsIgnoringCase("authoriz");
  }

  @Test
  void a_missing_right_on_the_group_suspends_commits_and_not_reading() throws Exception {
    kafka.allow("stranger", ResourceType.TOPIC, topic, AclOperation.READ);
    JobClient job = start(kafka.login("PLAIN", "stranger", SECRET), OffsetsInitializer.earliest());
    try {
      awaitGauge(job, "currentOffset", VALUES - 1L);
      awaitGauge(job, "commitState", COMMITS_SUSPENDED);
      assertThat(job.getJobStatus().get()).isEqualTo(JobStatus.RUNNING);

      kafka.allow("stranger", ResourceType.GROUP, group, AclOperation.READ);
      awaitCommitted(VALUES);
    } finally {
      job.cancel().get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void a_password_that_was_changed_ends_the_job_and_the_new_one_goes_on_behind_it()
      throws Exception {
    kafka.setPassword("rotating", SECRET);
    allowReading("rotating");
    JobClient job =
        start(kafka.login("SCRAM-SHA-256", "rotating", SECRET), OffsetsInitializer.earliest());
    awaitCommitted(VALUES);

    String renewed = SECRET + "-2";
    kafka.setPassword("rotating", renewed);
    assertThatThrownBy(() -> job.getJobExecutionResult().get(120, TimeUnit.SECONDS))
        .satisfies(
            error ->
                assertThat(ExceptionUtils.stringifyException(error))
                    .contains("invalid credentials")
                    .doesNotContain(SECRET));

    kafka.write(topic, VALUES, VALUES + 5);
    assertThat(
            read(
                kafka.login("SCRAM-SHA-256", "rotating", renewed),
                OffsetsInitializer.committedOffsets(OffsetsInitializer.earliest()),
                5))
        .isEqualTo(numbers(VALUES, VALUES + 5));
  }

  @Test
  void a_right_on_the_topic_that_is_taken_away_ends_the_job_and_names_the_topic() throws Exception {
    allowReading("stranger");
    Map<String, String> stranger = kafka.login("PLAIN", "stranger", SECRET);
    JobClient job = start(stranger, OffsetsInitializer.earliest());
    awaitCommitted(VALUES);

    kafka.withdraw("stranger", ResourceType.TOPIC, topic);
    assertThatThrownBy(() -> job.getJobExecutionResult().get(120, TimeUnit.SECONDS))
        .satisfies(
            error ->
                assertThat(ExceptionUtils.stringifyException(error))
                    .contains(topic)
                    .containsIgnoringCase("authoriz"));

    kafka.allow("stranger", ResourceType.TOPIC, topic, AclOperation.READ);
    kafka.write(topic, VALUES, VALUES + 5);
    assertThat(
            read(stranger, OffsetsInitializer.committedOffsets(OffsetsInitializer.earliest()), 5))
        .isEqualTo(numbers(VALUES, VALUES + 5));
  }

  @Test
  void a_right_on_the_group_that_is_taken_away_suspends_commits_until_it_is_back()
      throws Exception {
    allowReading("stranger");
    JobClient job = start(kafka.login("PLAIN", "stranger", SECRET), OffsetsInitializer.earliest());
    try {
      awaitCommitted(VALUES);

      kafka.withdraw("stranger", ResourceType.GROUP, group);
      kafka.write(topic, VALUES, VALUES + 5);
      awaitGauge(job, "currentOffset", VALUES + 4L);
      awaitGauge(job, "commitState", COMMITS_SUSPENDED);
      assertThat(job.getJobStatus().get()).isEqualTo(JobStatus.RUNNING);
      assertThat(kafka.committed(group, topic)).isEqualTo(VALUES);

      kafka.allow("stranger", ResourceType.GROUP, group, AclOperation.READ);
      awaitCommitted(VALUES + 5);
    } finally {
      job.cancel().get(60, TimeUnit.SECONDS);
    }
  }

  private void allowReading(String user) throws Exception {
    kafka.allow(user, ResourceType.TOPIC, topic, AclOperation.READ);
    kafka.allow(user, ResourceType.GROUP, group, AclOperation.READ);
  }

  private void assertReads(Map<String, String> client) throws Exception {
    assertThat(read(client, OffsetsInitializer.earliest(), VALUES)).isEqualTo(numbers(0, VALUES));
  }

  /** What the job fails with, which has all of these parts and no password. */
  private String assertFails(Map<String, String> client, String... parts) throws Exception {
    String failure = failure(client, OffsetsInitializer.earliest());
    assertThat(failure).contains(parts);
    return failure;
  }

  /** What a job fails with. A sink that collects can end Flink with it (docs/reliability.md). */
  private String failure(Map<String, String> client, OffsetsInitializer start) throws Exception {
    JobClient job = start(client, start);
    StringBuilder failure = new StringBuilder();
    assertThatThrownBy(() -> job.getJobExecutionResult().get(120, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .satisfies(error -> failure.append(ExceptionUtils.stringifyException(error)));
    assertThat(failure.toString()).doesNotContain(SECRET).doesNotContain("BEGIN PRIVATE KEY");
    return failure.toString();
  }

  private List<String> read(Map<String, String> client, OffsetsInitializer start, int count)
      throws Exception {
    return stream(client, start).executeAndCollect(count);
  }

  private JobClient start(Map<String, String> client, OffsetsInitializer start) throws Exception {
    DataStream<String> stream = stream(client, start);
    stream.sinkTo(new DiscardingSink<>());
    return stream.getExecutionEnvironment().executeAsync();
  }

  private DataStream<String> stream(Map<String, String> client, OffsetsInitializer start) {
    Configuration configuration = new Configuration();
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    environment.setParallelism(1);
    environment.enableCheckpointing(200);
    var source =
        KorpseSource.<String>builder()
            .setTopics(topic)
            .setGroupId(group)
            .setStartingOffsets(start)
            .setDiscoveryInterval(Duration.ofSeconds(1))
            .setValueOnlyDeserializer(new SimpleStringSchema());
    client.forEach(source::setProperty);
    return environment.fromSource(source.build(), WatermarkStrategy.noWatermarks(), "source");
  }

  private void awaitCommitted(long offset) {
    Await.until(
        "the commit of " + offset,
        SecureKafka.A_WHILE,
        () -> kafka.committed(group, topic) == offset);
  }

  private static void awaitGauge(JobClient job, String name, Object value) {
    Await.until(
        name + " to be " + value,
        SecureKafka.A_WHILE,
        () ->
            METRICS.findMetrics(job.getJobID(), name).values().stream()
                .anyMatch(metric -> ((Gauge<?>) metric).getValue().equals(value)));
  }

  private static List<String> numbers(int from, int to) {
    return IntStream.range(from, to).mapToObj(Integer::toString).toList();
  }
}
