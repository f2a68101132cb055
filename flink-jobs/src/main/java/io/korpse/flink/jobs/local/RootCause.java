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
   * The message of the first exception of this project, which says what to do; else that of the
   * last cause; the whole text when it names no exception.
   */
  static String of(String stackTrace) {
    String found = stackTrace.strip();
    for (String line : stackTrace.split("\n", -1)) {
      Matcher cause = CAUSE.matcher(line.strip());
      if (cause.matches() && !cause.group(2).isBlank()) {
        found = cause.group(2).strip();
        if (cause.group(1).startsWith(OWN_PACKAGE)) {
          return found;
        }
      }
    }
    return found;
  }
}
