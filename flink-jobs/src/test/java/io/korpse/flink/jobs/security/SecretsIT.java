package io.korpse.flink.jobs.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.korpse.flink.jobs.CopyTopicJob;
import io.korpse.flink.jobs.local.Await;
import io.korpse.flink.jobs.local.Classpath;
import io.korpse.flink.jobs.local.FlinkRest;
import io.korpse.flink.jobs.local.FlinkRestException;
import io.korpse.flink.jobs.local.LocalFlink;
import io.korpse.flink.jobs.local.Ports;
import io.korpse.flink.jobs.local.Workspace;
import java.io.IOException;
import java.io.Writer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Plants passwords in a job on a real cluster and looks for them wherever people look. */
@Timeout(300)
final class SecretsIT {

  private static final String STORE_SECRET = "Keller-5147";
  private static final String USER_SECRET = "Dachboden-2089";
  private static final String OLD_SECRET = "Speicher-7733";
  private static final List<String> SECRETS =
      List.of(STORE_SECRET, USER_SECRET, OLD_SECRET, "BEGIN PRIVATE KEY");

  @Test
  void no_password_is_in_a_log_a_web_page_a_metric_an_error_or_a_process_listing()
      throws Exception {
    try (Workspace workspace = Workspace.create("korpse-secrets-")) {
      Classpath jars = Classpath.of(Path.of("target"));
      Certificates client =
          Certificates.make(
              workspace.subdirectory("certificates"), "client", STORE_SECRET, "-validity", "30");
      LocalFlink flink = LocalFlink.start(workspace, jars, Ports.free(1).get(0), 1, Map.of());
      SecureKafka kafka =
          SecureKafka.start(workspace, jars, STORE_SECRET, client, Map.of("copier", USER_SECRET));
      kafka.createTopic("original", 10);
      kafka.createTopic("copy", 0);
      allow(kafka);
      flink.awaitSlots(2, SecureKafka.A_WHILE);
      String jar = flink.rest().upload(jars.jobJar());

      Map<String, String> settings = kafka.login("PLAIN", "copier", USER_SECRET);
      settings.put("ssl.keystore.type", "PEM");
      settings.put("ssl.keystore.key", client.privateKey());
      settings.put("ssl.keystore.certificate.chain", client.certificate());
      Path right = file(workspace, "right", settings);
      String job = run(flink.rest(), jar, right);
      Await.until(
          "the commit", SecureKafka.A_WHILE, () -> kafka.committed("copy-topic", "original") == 10);

      Path wrong = file(workspace, "wrong", kafka.login("PLAIN", "copier", OLD_SECRET));
      assertThatThrownBy(() -> run(flink.rest(), jar, wrong))
          .isInstanceOf(FlinkRestException.class)
          .hasMessageContaining("Invalid username or password");

      Map<String, String> seen = new LinkedHashMap<>();
      processes(seen);
      pages(flink.rest(), job, seen);
      logs(workspace, seen);

      assertThat(seen).hasSizeGreaterThan(30);
      assertThat(seen.values()).anyMatch(text -> text.contains("currentOffset"));
      assertThat(seen.values()).anyMatch(text -> text.contains("sasl.jaas.config = [hidden]"));
      for (String secret : SECRETS) {
        assertThat(seen).allSatisfy((where, text) -> assertThat(text).doesNotContain(secret));
      }
    }
  }

  private static void allow(SecureKafka kafka) throws Exception {
    kafka.allow("copier", ResourceType.TOPIC, "original", AclOperation.READ);
    kafka.allow("copier", ResourceType.TOPIC, "copy", AclOperation.WRITE, AclOperation.READ);
    kafka.allow("copier", ResourceType.GROUP, "copy-topic", AclOperation.READ);
    kafka.allowPrefixed("copier", ResourceType.TRANSACTIONAL_ID, "copy-topic", AclOperation.WRITE);
  }

  private static String run(FlinkRest flink, String jar, Path clientConfig) throws IOException {
    Properties settings = new Properties();
    try (var text = Files.newBufferedReader(clientConfig)) {
      settings.load(text);
    }
    return flink.run(
        jar,
        CopyTopicJob.class.getName(),
        List.of(
            "--bootstrap-server=" + settings.getProperty("bootstrap.servers"),
            "--topic=original",
            "--to-topic=copy",
            "--client-config=" + clientConfig,
            "--checkpoint-interval=500"),
        1,
        Optional.empty());
  }

  private static Path file(Workspace workspace, String name, Map<String, String> settings)
      throws IOException {
    Properties properties = new Properties();
    properties.putAll(settings);
    Path file = workspace.directory().resolve(name + ".properties");
    try (Writer out = Files.newBufferedWriter(file)) {
      properties.store(out, null);
    }
    return file;
  }

  private static void processes(Map<String, String> seen) {
    ProcessHandle.current()
        .descendants()
        .forEach(
            process ->
                seen.put("process " + process.pid(), process.info().commandLine().orElse("")));
  }

  private static void logs(Workspace workspace, Map<String, String> seen) throws IOException {
    try (Stream<Path> logs = Files.list(workspace.directory().resolve("logs"))) {
      for (Path log : logs.toList()) {
        seen.put(log.getFileName().toString(), Files.readString(log, StandardCharsets.ISO_8859_1));
      }
    }
  }

  private void pages(FlinkRest flink, String job, Map<String, String> seen) throws Exception {
    List<String> paths =
        new ArrayList<>(
            List.of(
                "/config",
                "/overview",
                "/jobs/overview",
                "/jars",
                "/jobmanager/config",
                "/jobmanager/environment",
                "/jobmanager/metrics",
                "/jobmanager/logs",
                "/jobmanager/thread-dump",
                "/taskmanagers"));
    for (String page :
        List.of(
            "",
            "/accumulators",
            "/checkpoints",
            "/checkpoints/config",
            "/config",
            "/exceptions",
            "/jobmanager/config",
            "/jobmanager/environment",
            "/metrics",
            "/plan",
            "/status")) {
      paths.add("/jobs/" + job + page);
    }
    for (JsonNode vertex : flink.get("/jobs/" + job).path("vertices")) {
      String path = "/jobs/" + job + "/vertices/" + vertex.path("id").asText();
      for (String page : List.of("", "/accumulators", "/subtasks/0", "/watermarks", "/metrics")) {
        paths.add(path + page);
      }
      paths.addAll(metrics(flink, path + "/metrics"));
    }
    for (JsonNode worker : flink.get("/taskmanagers").path("taskmanagers")) {
      String path = "/taskmanagers/" + worker.path("id").asText();
      for (String page : List.of("", "/logs", "/log", "/stdout", "/metrics", "/thread-dump")) {
        paths.add(path + page);
      }
    }
    for (String path : paths) {
      seen.put(path, flink.text(path));
    }
  }

  /** Pages with the values of all metrics, some at a time, for no address may be too long. */
  private static List<String> metrics(FlinkRest flink, String path) {
    List<String> pages = new ArrayList<>();
    Map<Integer, StringBuilder> names = new HashMap<>();
    int number = 0;
    for (JsonNode metric : flink.get(path)) {
      names
          .computeIfAbsent(number++ / 20, page -> new StringBuilder())
          .append(',')
          .append(URLEncoder.encode(metric.path("id").asText(), StandardCharsets.UTF_8));
    }
    names.values().forEach(list -> pages.add(path + "?get=" + list.substring(1)));
    return pages;
  }
}
