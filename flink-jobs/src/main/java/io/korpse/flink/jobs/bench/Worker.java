package io.korpse.flink.jobs.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The child that runs one source: requests come as lines on standard input, replies go as lines to
 * standard output. It ends when its standard input does, so it does not outlive its parent.
 */
final class Worker {

  /** How a line with a {@link Reply} begins. */
  static final String REPLY = "reply ";

  private static final long GRACE_NANOS = 5_000_000_000L;

  private Worker() {}

  public static void main(String[] args) throws InterruptedException {
    PrintStream replies = System.out;
    System.setOut(System.err);
    BlockingQueue<String> requests = new LinkedBlockingQueue<>();
    Thread reader = new Thread(() -> readInto(requests), "requests");
    reader.setDaemon(true);
    reader.start();
    while (true) {
      Request request = Json.parse(requests.take(), Request.class);
      send(
          replies,
          answer(request, figures -> send(replies, new Reply(false, figures.toMap(), ""))));
    }
  }

  private static Reply answer(Request request, Consumer<Figures> partial) {
    try {
      Figures figures = Scenarios.named(request.scenario()).work(request, partial);
      return new Reply(true, figures.toMap(), "");
    } catch (Throwable e) {
      StringWriter trace = new StringWriter();
      e.printStackTrace(new PrintWriter(trace, true));
      System.err.println(trace);
      return new Reply(true, Map.of(), e.toString());
    }
  }

  private static void send(PrintStream replies, Reply reply) {
    synchronized (replies) {
      replies.println(REPLY + Json.line(reply));
      replies.flush();
    }
  }

  private static void readInto(BlockingQueue<String> requests) {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      String line = lines.readLine();
      while (line != null) {
        requests.add(line);
        line = lines.readLine();
      }
    } catch (IOException e) {
      System.err.println("The parent is gone: " + e);
    }
    end();
  }

  /**
   * An orderly end, so that a flight recording is written; a hook that hangs does not hold it up
   * for long.
   */
  private static void end() {
    Thread impatience =
        new Thread(
            () -> {
              LockSupport.parkNanos(GRACE_NANOS);
              Runtime.getRuntime().halt(0);
            },
            "end");
    impatience.setDaemon(true);
    impatience.start();
    System.exit(0);
  }
}
