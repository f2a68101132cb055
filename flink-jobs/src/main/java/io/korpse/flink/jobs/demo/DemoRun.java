package io.korpse.flink.jobs.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.korpse.flink.jobs.FlightDelaysJob;
import io.korpse.flink.jobs.FlightLoader;
import io.korpse.flink.jobs.StartupException;
import io.korpse.flink.jobs.TopicCheck;
import io.korpse.flink.jobs.local.Await;
import io.korpse.flink.jobs.local.ChildProcess;
import io.korpse.flink.jobs.local.Classpath;
import io.korpse.flink.jobs.local.LocalFlink;
import io.korpse.flink.jobs.local.LocalKafka;
import io.korpse.flink.jobs.local.Ports;
import io.korpse.flink.jobs.local.Topics;
import io.korpse.flink.jobs.local.Workspace;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.ProducerRecord;

/** One run of the demo. */
final class DemoRun {

  private static final int PARTITIONS = 8;
  private static final int SLOTS = 2;
  private static final int USUAL_WEB_PORT = 8081;
  private static final Duration TIME_TO_CONNECT = Duration.ofSeconds(15);
  private static final Duration TIME_TO_START = Duration.ofMinutes(2);
  private static final Duration TIME_WITHOUT_PROGRESS = Duration.ofMinutes(2);
  private static final Duration TIME_TO_STOP = Duration.ofSeconds(60);
  private static final long POLL_MILLIS = 200;
  private static final long LINE_NANOS = 1_000_000_000L;

  /** The options, checked one by one. */
  record Settings(
      Path home,
      Optional<Path> json,
      Optional<Path> out,
      boolean failOnce,
      boolean keepRunning,
      Optional<Integer> port,
      Optional<String> bootstrapServers,
      String topic,
      String group,
      int rate) {}

  private final Settings settings;
  private final PrintWriter out;
  private final PrintWriter err;
  private final long startNanos = System.nanoTime();

  DemoRun(Settings settings, PrintWriter out, PrintWriter err) {
    this.settings = settings;
    this.out = out;
    this.err = err;
  }

  /**
   * Runs until all is read and committed.
   *
   * @throws StartupException when something that must be there is not
   * @throws IllegalStateException when the job fails, stands still or counts wrongly
   */
  void run() throws Exception {
    int webPort = webPort();
    if (settings.bootstrapServers().isPresent()) {
      requireRoom(settings.bootstrapServers().get());
    }
    Classpath classpath = Classpath.of(settings.home().resolve("target"));
    try (Workspace workspace = Workspace.create("korpse-demo-")) {
      Results results =
          new Results(settings.out().orElseGet(() -> workspace.subdirectory("results")));
      results.prepare();
      say("Starting " + (settings.bootstrapServers().isPresent() ? "" : "Kafka and ") + "Flink");
      LocalFlink flink = LocalFlink.start(workspace, classpath, webPort, 1, Map.of());
      String bootstrapServers = kafka(workspace, classpath);
      try (Admin admin = admin(bootstrapServers)) {
        createTopic(workspace, admin, bootstrapServers);
        flink.awaitSlots(SLOTS, TIME_TO_START);
        String jobId = submit(flink, classpath, bootstrapServers, results);
        say("Kafka is at " + bootstrapServers + ", Flink's web page at " + flink.rest().url());
        JobWatch watch =
            new JobWatch(flink.rest(), jobId, admin, settings.group(), settings.topic());
        readAll(flink, watch, bootstrapServers);
        if (settings.keepRunning()) {
          report(watch, results);
          say("All is read and committed; the job runs on. Ctrl-C ends it.");
          followForEver(watch);
        }
        stop(workspace, flink, jobId);
        results.deleteLeftovers();
        requireCountedOnce(watch, results);
        report(watch, results);
      }
    }
  }

  private int webPort() {
    if (settings.port().isEmpty()) {
      return Ports.isFree(USUAL_WEB_PORT) ? USUAL_WEB_PORT : Ports.free(1).get(0);
    }
    int port = settings.port().get();
    if (!Ports.isFree(port)) {
      throw new StartupException(
          "Port " + port + " is taken; give --port another, or leave it out", null);
    }
    return port;
  }

  /** The demo must neither read nor delete what is somebody else's. */
  private void requireRoom(String bootstrapServers) throws Exception {
    if (!TopicCheck.topics(bootstrapServers, new Properties(), TIME_TO_CONNECT)
        .contains(settings.topic())) {
      return;
    }
    try (Admin admin = admin(bootstrapServers)) {
      if (GroupTable.of(admin, settings.group(), settings.topic()).end() > 0) {
        throw new StartupException(
            "Topic "
                + settings.topic()
                + " at "
                + bootstrapServers
                + " holds records; give --topic another name",
            null);
      }
    }
  }

  private String kafka(Workspace workspace, Classpath classpath) {
    if (settings.bootstrapServers().isPresent()) {
      return settings.bootstrapServers().get();
    }
    LocalKafka kafka = LocalKafka.start(workspace, classpath, 1, Map.of());
    kafka.awaitReady(TIME_TO_START);
    return kafka.bootstrapServers();
  }

  private static Admin admin(String bootstrapServers) {
    return Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers));
  }

  private void createTopic(Workspace workspace, Admin admin, String bootstrapServers)
      throws Exception {
    if (admin.listTopics().names().get().contains(settings.topic())) {
      return;
    }
    // Flights of 2001 are older than any usual retention.
    NewTopic topic =
        new NewTopic(settings.topic(), Optional.of(PARTITIONS), Optional.empty())
            .configs(Map.of("retention.ms", "-1"));
    Topics.create(admin, topic);
    if (settings.bootstrapServers().isPresent()) {
      workspace.onClose(() -> deleteFrom(bootstrapServers));
    }
  }

  private void deleteFrom(String bootstrapServers) {
    try (Admin admin = admin(bootstrapServers)) {
      admin.deleteTopics(List.of(settings.topic())).all().get();
      admin.deleteConsumerGroups(List.of(settings.group())).all().get();
    } catch (ExecutionException e) {
      say("Not deleted: " + e.getCause().getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private String submit(
      LocalFlink flink, Classpath classpath, String bootstrapServers, Results results) {
    List<String> arguments =
        List.of(
            "--bootstrap-server=" + bootstrapServers,
            "--topic=" + settings.topic(),
            "--group=" + settings.group(),
            "--out=" + results.directory().toAbsolutePath().normalize().toUri(),
            "--checkpoint-interval=1000");
    return flink
        .rest()
        .run(
            flink.rest().upload(classpath.jobJar()),
            FlightDelaysJob.class.getName(),
            arguments,
            SLOTS,
            Optional.empty());
  }

  private void readAll(LocalFlink flink, JobWatch watch, String bootstrapServers) throws Exception {
    List<ProducerRecord<String, String>> flights =
        FlightLoader.read(
            settings.home().resolve("data").resolve("flights-20k.json.gz"), settings.topic());
    int total = flights.size();
    // With a failure, the last part is held back until it has happened: so it is in the middle.
    int first = settings.failOnce() ? total * 6 / 10 : total;
    follow(watch, watch::running);
    FutureTask<Void> loading = load(bootstrapServers, flights.subList(0, first));
    if (settings.failOnce()) {
      follow(watch, () -> watch.records() >= total / 2 && watch.table().committed() > 0);
      ChildProcess victim = flink.taskManagers().get(0);
      say("Killing " + victim + " after " + watch.records() + " records");
      victim.kill();
      victim.awaitEnd();
      flink.startTaskManager();
      loading.get();
      loading = load(bootstrapServers, flights.subList(first, total));
    }
    FutureTask<Void> last = loading;
    follow(
        watch,
        () -> {
          if (last.isDone()) {
            last.get();
          }
          return last.isDone()
              && watch.running()
              && watch.table().end() == total
              && watch.table().lag() == 0
              && watch.restarts() >= (settings.failOnce() ? 1 : 0);
        });
  }

  private FutureTask<Void> load(
      String bootstrapServers, List<ProducerRecord<String, String>> flights) {
    FutureTask<Void> loading =
        new FutureTask<>(
            () -> {
              FlightLoader.load(bootstrapServers, flights, settings.rate());
              return null;
            });
    Thread thread = new Thread(loading, "loader");
    thread.setDaemon(true);
    thread.start();
    return loading;
  }

  private void followForEver(JobWatch watch) throws Exception {
    long line = System.nanoTime();
    while (true) {
      watch.refresh();
      if (System.nanoTime() - line >= LINE_NANOS) {
        line += LINE_NANOS;
        say(watch.line());
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** Prints a line each second until {@code done}; fails when nothing moves for too long. */
  private void follow(JobWatch watch, Callable<Boolean> done) throws Exception {
    long line = System.nanoTime();
    long movedAt = line;
    long sum = -1;
    while (true) {
      watch.refresh();
      boolean over = done.call();
      long now = System.nanoTime();
      if (over || now - line >= LINE_NANOS) {
        line = now;
        say(watch.line());
      }
      if (over) {
        return;
      }
      long newSum = watch.records() + watch.table().committed() + watch.table().end();
      if (newSum != sum) {
        sum = newSum;
        movedAt = now;
      } else if (now - movedAt > TIME_WITHOUT_PROGRESS.toNanos()) {
        throw new IllegalStateException(
            "Nothing has moved for " + TIME_WITHOUT_PROGRESS.toSeconds() + " s: " + watch.line());
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  private void stop(Workspace workspace, LocalFlink flink, String jobId) {
    say("All is read and committed; stopping the job with drain");
    flink
        .rest()
        .stop(jobId, true, workspace.subdirectory("savepoints").toUri().toString(), TIME_TO_STOP);
    Await.until(
        "the end of job " + jobId,
        TIME_TO_STOP,
        () -> flink.rest().state(jobId).equals("FINISHED"));
  }

  private static void requireCountedOnce(JobWatch watch, Results results) {
    if (results.flights() != watch.table().committed()) {
      throw new IllegalStateException(
          "The results count "
              + results.flights()
              + " flights, but "
              + watch.table().committed()
              + " were committed");
    }
  }

  private void report(JobWatch watch, Results results) throws IOException {
    GroupTable table = watch.table();
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    out.println("Consumer group " + settings.group());
    out.print(table.print());
    out.printf(
        Locale.ROOT,
        "%d records, %d windows, lag %d, %d restarts, %.1f s%n",
        table.committed(),
        results.windows(),
        table.lag(),
        watch.restarts(),
        seconds);
    settings.out().ifPresent(directory -> out.println("Results: " + directory));
    out.flush();
    if (settings.json().isPresent()) {
      ObjectMapper mapper = new ObjectMapper();
      ObjectNode json = mapper.createObjectNode();
      json.put("records", table.committed());
      json.put("windows", results.windows());
      json.put("lag", table.lag());
      json.put("restarts", watch.restarts());
      json.put("seconds", Math.round(seconds * 10) / 10.0);
      table.toJson(json.putArray("partitions"));
      Files.writeString(
          settings.json().get(),
          mapper.writerWithDefaultPrettyPrinter().writeValueAsString(json) + "\n");
    }
  }

  private void say(String line) {
    err.println(line);
    err.flush();
  }
}
