package io.korpse.flink.jobs.local;

import java.io.IOException;
import java.util.Arrays;

/**
 * The main class of every child process: runs another main class and ends the process as soon as
 * the parent is gone, however it went.
 *
 * <p>The parent keeps the other end of standard input open and writes nothing. The system closes it
 * when the parent dies, also by {@code kill -9}, when no shutdown hook runs.
 */
public final class ParentWatch {

  private ParentWatch() {}

  /**
   * Runs {@code arguments[0]} with the other arguments.
   *
   * @param arguments the main class and its arguments
   * @throws Exception what the main class throws
   */
  public static void main(String[] arguments) throws Exception {
    Thread watch = new Thread(ParentWatch::haltWhenParentIsGone, "parent-watch");
    watch.setDaemon(true);
    watch.start();
    Class.forName(arguments[0])
        .getMethod("main", String[].class)
        .invoke(null, (Object) Arrays.copyOfRange(arguments, 1, arguments.length));
  }

  private static void haltWhenParentIsGone() {
    try {
      while (System.in.read() >= 0) {
        // Nothing is ever written; only the end matters.
      }
    } catch (IOException e) {
      // The same as the end.
    }
    Runtime.getRuntime().halt(143);
  }
}
