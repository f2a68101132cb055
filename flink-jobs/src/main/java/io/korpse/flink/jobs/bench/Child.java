package io.korpse.flink.jobs.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The process that runs one source; see {@link Worker} for its own side. Not for several threads.
 */
final class Child implements AutoCloseable {

  private static final List<String> OPENED =
      List.of("java.lang", "java.util", "java.util.concurrent", "java.time");

  private static final int TAIL = 30;

  private final Process process;
  private final Path log;
  private final BufferedReader replies;
  private final Writer requests;

  private Child(Process process, Path log) {
    this.process = process;
    this.log = log;
    this.replies =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    this.requests = process.outputWriter(StandardCharsets.UTF_8);
  }

  /**
   * Starts a child.
   *
   * @param directory for its log, its temporary files and the service file of {@link GaugeReporter}
   */
  static Child start(Path directory, String name, String heap, List<String> options)
      throws IOException {
    Path services = directory.resolve("services");
    Path file =
        services.resolve(
            "META-INF/services/org.apache.flink.metrics.reporter.MetricReporterFactory");
    Files.createDirectories(file.getParent());
    Files.writeString(file, GaugeReporter.Factory.class.getName() + "\n", StandardCharsets.UTF_8);
    Path temporary = Files.createDirectories(directory.resolve("tmp"));
    List<String> command = new ArrayList<>();
    command.add(javaBinary());
    command.add("-Xmx" + heap);
    command.addAll(options);
    OPENED.forEach(name1 -> command.add("--add-opens=java.base/" + name1 + "=ALL-UNNAMED"));
    command.add("-Djava.io.tmpdir=" + temporary);
    command.add("-Dlog4j2.configurationFile=bench/log4j2-bench.properties");
    command.add("-cp");
    command.add(
        services + System.getProperty("path.separator") + System.getProperty("java.class.path"));
    command.add(Worker.class.getName());
    Path log = directory.resolve(name + ".log");
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly, "stop-" + name));
    return new Child(process, log);
  }

  static String javaBinary() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /**
   * Sends a request and waits for its final reply.
   *
   * @throws IllegalStateException if the run failed or the child died
   */
  Figures call(Request request) throws IOException {
    Outcome outcome = attempt(request);
    if (!outcome.error().isEmpty()) {
      throw new IllegalStateException(
          "%s failed with %s: %s; its log ends with%n%s"
              .formatted(request.scenario(), request.source(), outcome.error(), tail()));
    }
    return outcome.figures();
  }

  /**
   * As {@link #call}, but a failure or a death is an answer, with the last figures it sent before.
   */
  Outcome attempt(Request request) throws IOException {
    Figures last = new Figures();
    try {
      requests.write(Json.line(request) + "\n");
      requests.flush();
      while (true) {
        String line = replies.readLine();
        if (line == null) {
          return new Outcome(last, "the child died");
        }
        if (!line.startsWith(Worker.REPLY)) {
          continue; // the JVM itself writes here when it gives up
        }
        Reply reply = Json.parse(line.substring(Worker.REPLY.length()), Reply.class);
        if (reply.done()) {
          return reply.error().isEmpty()
              ? new Outcome(Figures.of(reply.figures()), "")
              : new Outcome(last, reply.error());
        }
        last = Figures.of(reply.figures());
      }
    } catch (IOException e) {
      if (process.isAlive()) {
        throw e;
      }
      return new Outcome(last, "the child died");
    }
  }

  /** The last lines of the child's log. */
  String tail() {
    try {
      List<String> lines =
          new String(Files.readAllBytes(log), StandardCharsets.UTF_8).lines().toList();
      return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL), lines.size()));
    } catch (IOException e) {
      return "(no log: " + e.getMessage() + ")";
    }
  }

  /** How a request ended; {@code error} is empty if it ended well. */
  record Outcome(Figures figures, String error) {}

  /** Lets the child end by itself for a while, then makes it. */
  @Override
  public void close() {
    try {
      requests.close();
    } catch (IOException e) {
      // It is gone already.
    }
    try {
      process.waitFor(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
  }
}
