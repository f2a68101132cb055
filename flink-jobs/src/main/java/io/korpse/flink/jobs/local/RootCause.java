package io.korpse.flink.jobs.local;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the sentence meant for people in a printed stack trace. */
final class RootCause {

  private static final Pattern CAUSE =
      Pattern.compile("^(?:Caused by: )?((?:[\\w$]+\\.)+[\\w$]+(?:Exception|Error))\\b: ?(.*)");
  private static final String OWN_PACKAGE = "io.korpse.";

  private RootCause() {}

  /**
   * The message of the first exception that this project made or threw, which says what to do; else
   * that of the last cause; the whole text when it names no exception.
   */
  static String of(String stackTrace) {
    String found = stackTrace.strip();
    boolean newest = false;
    for (String raw : stackTrace.split("\n", -1)) {
      String line = raw.strip();
      Matcher cause = CAUSE.matcher(line);
      if (cause.matches()) {
        newest = !cause.group(2).isBlank();
        if (newest) {
          found = cause.group(2).strip();
        }
        if (newest && cause.group(1).startsWith(OWN_PACKAGE)) {
          return found;
        }
      } else if (line.startsWith("at ")) {
        if (newest && line.startsWith("at " + OWN_PACKAGE)) {
          return found;
        }
        newest = false;
      }
    }
    return found;
  }
}
