package io.korpse.flink.jobs.local;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * The part of Flink's REST interface that a launcher needs. Thread-safe; every call blocks for at
 * most 60 s and throws {@link UncheckedIOException} when the JobManager cannot be reached.
 */
public final class FlinkRest {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private final String url;

  /** A client of the JobManager at {@code url}, such as {@code http://localhost:8081}. */
  public FlinkRest(String url) {
    this.url = url;
  }

  /** Address of the REST interface and the web page. */
  public String url() {
    return url;
  }

  /** Slots that no job uses; 0 as long as the JobManager does not answer. */
  public int availableSlots() {
    try {
      return get("/overview").path("slots-available").asInt();
    } catch (UncheckedIOException | FlinkRestException e) {
      return 0;
    }
  }

  /** Uploads a job jar and returns its id. */
  public String upload(Path jar) {
    try {
      String boundary = UUID.randomUUID().toString();
      String head =
          "--"
              + boundary
              + "\r\nContent-Disposition: form-data; name=\"jarfile\"; filename=\""
              + jar.getFileName()
              + "\"\r\nContent-Type: application/x-java-archive\r\n\r\n";
      BodyPublisher body =
          BodyPublishers.concat(
              BodyPublishers.ofString(head),
              BodyPublishers.ofFile(jar),
              BodyPublishers.ofString("\r\n--" + boundary + "--\r\n"));
      JsonNode answer =
          send(
              request("/jars/upload")
                  .header("Content-Type", "multipart/form-data; boundary=" + boundary)
                  .POST(body));
      return Path.of(answer.path("filename").asText()).getFileName().toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Starts a job of an uploaded jar.
   *
   * @param jarId what {@link #upload} returned
   * @param mainClass the job's class
   * @param arguments its arguments
   * @param parallelism of the job
   * @param savepoint where to restore from, if anywhere
   * @return the job's id
   * @throws FlinkRestException when the job's main method failed; the message is its last cause
   */
  public String run(
      String jarId,
      String mainClass,
      List<String> arguments,
      int parallelism,
      Optional<String> savepoint) {
    ObjectNode body = JSON.createObjectNode();
    body.put("entryClass", mainClass);
    body.put("parallelism", parallelism);
    ArrayNode list = body.putArray("programArgsList");
    arguments.forEach(list::add);
    savepoint.ifPresent(path -> body.put("savepointPath", path));
    return post("/jars/" + jarId + "/run", body).path("jobid").asText();
  }

  /** The job's state: {@code RUNNING}, {@code RESTARTING}, {@code FAILED} ... */
  public String state(String jobId) {
    return get("/jobs/" + jobId).path("state").asText();
  }

  /** Whether every task of the job runs; a job is called RUNNING some time before. */
  public boolean allTasksRun(String jobId) {
    for (JsonNode vertex : get("/jobs/" + jobId).path("vertices")) {
      if (!vertex.path("status").asText().equals("RUNNING")) {
        return false;
      }
    }
    return true;
  }

  /**
   * The attempts of one vertex that are on a TaskManager: subtask and number, as in {@code 1#0}.
   *
   * @param jobId the job
   * @param vertexPrefix how the vertex's name begins
   * @param taskManager its name
   */
  public List<String> attempts(String jobId, String vertexPrefix, String taskManager) {
    List<String> attempts = new ArrayList<>();
    for (JsonNode vertex : get("/jobs/" + jobId).path("vertices")) {
      if (vertex.path("name").asText().startsWith(vertexPrefix)) {
        String path = "/jobs/" + jobId + "/vertices/" + vertex.path("id").asText();
        for (JsonNode subtask : get(path).path("subtasks")) {
          if (subtask.path("taskmanager-id").asText().equals(taskManager)) {
            attempts.add(subtask.path("subtask").asInt() + "#" + subtask.path("attempt").asInt());
          }
        }
      }
    }
    return attempts;
  }

  /** Number of completed checkpoints of the job. */
  public long completedCheckpoints(String jobId) {
    return get("/jobs/" + jobId + "/checkpoints").path("counts").path("completed").asLong();
  }

  /**
   * When the newest completed checkpoint of the job was begun, in milliseconds since 1970; empty
   * when this JobManager has seen none complete.
   */
  public OptionalLong newestCheckpointBegan(String jobId) {
    JsonNode began =
        get("/jobs/" + jobId + "/checkpoints")
            .path("latest")
            .path("completed")
            .path("trigger_timestamp");
    return began.isNumber() ? OptionalLong.of(began.asLong()) : OptionalLong.empty();
  }

  /** A number among the job's own metrics, such as {@code numRestarts}; empty until reported. */
  public OptionalLong jobMetric(String jobId, String name) {
    for (JsonNode metric : get("/jobs/" + jobId + "/metrics?get=" + name)) {
      return OptionalLong.of(metric.path("value").asLong());
    }
    return OptionalLong.empty();
  }

  /**
   * The metrics of all subtasks of one vertex, by their whole name, such as {@code
   * 0.Source__flights.KafkaSourceReader.topic.flights.partition.3.currentOffset}.
   *
   * @param jobId the job
   * @param vertexPrefix how the vertex's name begins
   * @param suffixes how the wanted names end
   */
  public Map<String, String> vertexMetrics(
      String jobId, String vertexPrefix, List<String> suffixes) {
    Map<String, String> values = new HashMap<>();
    for (JsonNode vertex : get("/jobs/" + jobId).path("vertices")) {
      if (!vertex.path("name").asText().startsWith(vertexPrefix)) {
        continue;
      }
      String metrics = "/jobs/" + jobId + "/vertices/" + vertex.path("id").asText() + "/metrics";
      List<String> names = new ArrayList<>();
      for (JsonNode metric : get(metrics)) {
        String id = metric.path("id").asText();
        if (suffixes.stream().anyMatch(id::endsWith)) {
          names.add(URLEncoder.encode(id, StandardCharsets.UTF_8));
        }
      }
      if (!names.isEmpty()) {
        for (JsonNode metric : get(metrics + "?get=" + String.join(",", names))) {
          values.put(metric.path("id").asText(), metric.path("value").asText());
        }
      }
    }
    return values;
  }

  /**
   * Stops the job with a savepoint and waits until that is written.
   *
   * @param drain whether all windows fire first; the job is then not to be resumed
   * @param directory where the savepoint goes, as a URI
   * @return where the savepoint is
   * @throws FlinkRestException when the savepoint failed
   */
  public String stop(String jobId, boolean drain, String directory, Duration atMost) {
    ObjectNode body = JSON.createObjectNode();
    body.put("drain", drain);
    body.put("targetDirectory", directory);
    String trigger = post("/jobs/" + jobId + "/stop", body).path("request-id").asText();
    String path = "/jobs/" + jobId + "/savepoints/" + trigger;
    Await.until(
        "the savepoint of job " + jobId,
        atMost,
        () -> !get(path).path("status").path("id").asText().equals("IN_PROGRESS"));
    JsonNode operation = get(path).path("operation");
    if (operation.has("failure-cause")) {
      throw new FlinkRestException(
          RootCause.of(operation.path("failure-cause").path("stack-trace").asText()));
    }
    return operation.path("location").asText();
  }

  /** Cancels the job; returns at once. */
  public void cancel(String jobId) {
    send(request("/jobs/" + jobId).method("PATCH", BodyPublishers.noBody()));
  }

  /** What made the job fail last: the message of the last cause; empty when nothing did. */
  public Optional<String> failure(String jobId) {
    for (JsonNode entry :
        get("/jobs/" + jobId + "/exceptions").path("exceptionHistory").path("entries")) {
      return Optional.of(RootCause.of(entry.path("stacktrace").asText()));
    }
    return Optional.empty();
  }

  /** What the path answers. */
  public JsonNode get(String path) {
    return send(request(path).GET());
  }

  /** What the path answers as text, whatever its status says. */
  public String text(String path) {
    return exchange(request(path).GET()).body();
  }

  private JsonNode post(String path, JsonNode body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body.toString())));
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(url + path)).timeout(Duration.ofSeconds(60));
  }

  private HttpResponse<String> exchange(HttpRequest.Builder request) {
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException("Flink at " + url + " does not answer", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while Flink answers", e);
    }
  }

  private JsonNode send(HttpRequest.Builder request) {
    HttpResponse<String> response = exchange(request);
    try {
      JsonNode body = JSON.readTree(response.body());
      if (response.statusCode() >= 400) {
        List<String> errors = new ArrayList<>();
        body.path("errors").forEach(error -> errors.add(error.asText()));
        throw new FlinkRestException(RootCause.of(String.join("\n", errors)));
      }
      return body;
    } catch (IOException e) {
      throw new UncheckedIOException("Flink at " + url + " does not answer in JSON", e);
    }
  }
}
