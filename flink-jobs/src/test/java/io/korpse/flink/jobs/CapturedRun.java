package io.korpse.flink.jobs;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.IntSupplier;

/**
 * What a command did.
 *
 * @param exitCode its exit code
 * @param err what it wrote to standard error
 */
public record CapturedRun(int exitCode, String err) {

  /** Runs a command and keeps what it writes to standard error. */
  public static CapturedRun of(IntSupplier command) {
    PrintStream before = System.err;
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    try {
      int exitCode = command.getAsInt();
      return new CapturedRun(exitCode, err.toString(StandardCharsets.UTF_8));
    } finally {
      System.setErr(before);
    }
  }
}
