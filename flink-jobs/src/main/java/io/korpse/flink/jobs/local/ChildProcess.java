package io.korpse.flink.jobs.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One started process with its log. Thread-safe. */
public final class ChildProcess {

  private static final int LINES_TO_QUOTE = 20;

  private final String name;
  private final Process process;
  private final Path log;

  ChildProcess(String name, Process process, Path log) {
    this.name = name;
    this.process = process;
    this.log = log;
  }

  /** What the process is, for people: {@code broker-1}, {@code taskmanager-2}. */
  public String name() {
    return name;
  }

  /** Process id. */
  public long pid() {
    return process.pid();
  }

  /** Standard output, standard error and the log, in one file. */
  public Path log() {
    return log;
  }

  /** Whether the process runs; a frozen one does. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Ends the process as {@code kill -9} does; returns at once. */
  public void kill() {
    process.destroyForcibly();
  }

  /** Asks the process to end as {@code kill} does, which lets it clean up; returns at once. */
  public void terminate() {
    // Not Process.destroy(): that closes the standard input too, whose end halts the process.
    signal("TERM");
  }

  /** Stops the process in its tracks (SIGSTOP) until {@link #thaw()}. */
  public void freeze() {
    signal("STOP");
  }

  /** Lets a frozen process run on (SIGCONT). */
  public void thaw() {
    signal("CONT");
  }

  /** Waits until the process has ended. An interrupt ends the wait and stays set. */
  public void awaitEnd() {
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Fails when the process has ended.
   *
   * @throws IllegalStateException with the exit code and the last lines of the log
   */
  public void requireAlive() {
    if (!process.isAlive()) {
      throw new IllegalStateException(
          name + " ended with exit code " + process.exitValue() + "; its last lines:\n" + tail());
    }
  }

  /** The last lines of the log. */
  public String tail() {
    try {
      List<String> lines =
          new String(Files.readAllBytes(log), StandardCharsets.UTF_8).lines().toList();
      return String.join(
          "\n", lines.subList(Math.max(0, lines.size() - LINES_TO_QUOTE), lines.size()));
    } catch (IOException e) {
      return "(no log: " + e.getMessage() + ")";
    }
  }

  private void signal(String signal) {
    try {
      Process kill =
          new ProcessBuilder("kill", "-" + signal, Long.toString(pid()))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!kill.waitFor(10, TimeUnit.SECONDS) || kill.exitValue() != 0) {
        throw new IllegalStateException("SIG" + signal + " did not reach " + name);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while signalling " + name, e);
    }
  }

  @Override
  public String toString() {
    return name + " (process " + pid() + ")";
  }
}
