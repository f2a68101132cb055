package io.korpse.flink.jobs.demo;

import io.korpse.flink.jobs.FlightDelaysJob;
import io.korpse.flink.jobs.local.FlinkRest;
import io.korpse.flink.jobs.local.FlinkRestException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;

/** Follows a running job through Flink's REST interface and Kafka. Not thread-safe. */
final class JobWatch {

  private static final String RECORDS = ".currentOffset";
  // The sum of a reader; each topic and partition has one of the same name.
  private static final String LAG = ".KafkaSourceReader.recordsLag";
  private static final String PAUSED = ".pausedSplits";

  private final FlinkRest rest;
  private final String jobId;
  private final Admin admin;
  private final String group;
  private final String topic;

  private long records;
  private String lag = "?";
  private String paused = "?";
  private long restarts;
  private String state = "";
  private boolean tasksRun;
  private GroupTable table = new GroupTable(List.of());
  private long printedAt = System.nanoTime();
  private long printedRecords;

  JobWatch(FlinkRest rest, String jobId, Admin admin, String group, String topic) {
    this.rest = rest;
    this.jobId = jobId;
    this.admin = admin;
    this.group = group;
    this.topic = topic;
  }

  /**
   * Asks for the newest numbers; keeps the last ones of what is not reported just now.
   *
   * @throws IllegalStateException when the job has failed; the message says why
   */
  void refresh() throws Exception {
    try {
      state = rest.state(jobId);
      if (state.equals("FAILED") || state.equals("CANCELED")) {
        throw new IllegalStateException(
            "The job is " + state + ": " + rest.failure(jobId).orElse("no reason given"));
      }
      tasksRun = rest.allTasksRun(jobId);
      rest.jobMetric(jobId, "numRestarts").ifPresent(value -> restarts = value);
      Map<String, String> metrics =
          rest.vertexMetrics(
              jobId, "Source: " + FlightDelaysJob.SOURCE, List.of(RECORDS, LAG, PAUSED));
      // An offset counts from 0, and -1 says that nothing was emitted yet.
      records = Math.max(records, sum(metrics, RECORDS) + count(metrics, RECORDS));
      lag = sumOrUnknown(metrics, LAG);
      paused = sumOrUnknown(metrics, PAUSED);
    } catch (UncheckedIOException | FlinkRestException e) {
      // The JobManager is busy or the vertex has no metrics yet: the next second will tell.
    }
    table = GroupTable.of(admin, group, topic);
  }

  /** One line for people. */
  String line() {
    long now = System.nanoTime();
    double seconds = Math.max(1e-3, (now - printedAt) / 1e9);
    double rate = Math.max(0, records - printedRecords) / seconds;
    printedAt = now;
    printedRecords = records;
    return String.format(
        Locale.ROOT,
        "%-10s records %,7d  %,7.0f records/s  lag %6s  committed %,7d  paused splits %s",
        state,
        records,
        rate,
        lag,
        table.committed(),
        paused);
  }

  /** Records emitted by the source, counted from the start of the topic. */
  long records() {
    return records;
  }

  long restarts() {
    return restarts;
  }

  GroupTable table() {
    return table;
  }

  /** Whether every task of the job runs. */
  boolean running() {
    return state.equals("RUNNING") && tasksRun;
  }

  private static String sumOrUnknown(Map<String, String> metrics, String suffix) {
    return count(metrics, suffix) == 0
            || metrics.entrySet().stream()
                .anyMatch(e -> e.getKey().endsWith(suffix) && e.getValue().startsWith("-"))
        ? "?"
        : Long.toString(sum(metrics, suffix));
  }

  private static long sum(Map<String, String> metrics, String suffix) {
    return metrics.entrySet().stream()
        .filter(metric -> metric.getKey().endsWith(suffix))
        .mapToLong(metric -> Long.parseLong(metric.getValue()))
        .sum();
  }

  private static long count(Map<String, String> metrics, String suffix) {
    return metrics.keySet().stream().filter(name -> name.endsWith(suffix)).count();
  }
}
