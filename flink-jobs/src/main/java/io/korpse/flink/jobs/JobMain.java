package io.korpse.flink.jobs;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.apache.flink.client.program.ProgramParametrizationException;
import org.apache.flink.util.ExceptionUtils;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * Runs a job's command line in the two places where it can be: in a JVM of its own, which then ends
 * with an exit code, and inside Flink's client or JobManager, which must go on.
 */
final class JobMain {

  private static final String OWN_PACKAGE = "io.korpse.";

  private JobMain() {}

  /**
   * Runs {@code job}. In a JVM of its own ends that JVM: 0 when all is well, 1 when the job failed,
   * 2 when an option is wrong. Inside Flink returns or throws.
   */
  static void run(Callable<Integer> job, String[] arguments) throws Exception {
    if (insideFlink()) {
      runInside(commandLine(job), job, arguments);
    } else {
      System.exit(runAlone(job, arguments));
    }
  }

  /** Prints a failure as one message and returns the exit code. */
  static int runAlone(Callable<Integer> job, String... arguments) {
    CommandLine commandLine = commandLine(job);
    commandLine.setExecutionExceptionHandler(
        (failure, command, parsed) -> {
          PrintWriter err = command.getErr();
          err.println(command.getCommandName() + ": " + message(failure));
          err.flush();
          return CommandLine.ExitCode.SOFTWARE;
        });
    return commandLine.execute(arguments);
  }

  private static CommandLine commandLine(Callable<Integer> job) {
    return new CommandLine(job).setCaseInsensitiveEnumValuesAllowed(true);
  }

  private static void runInside(CommandLine commandLine, Callable<Integer> job, String[] arguments)
      throws Exception {
    try {
      commandLine.parseArgs(arguments);
    } catch (ParameterException e) {
      throw new ProgramParametrizationException(usage(e));
    }
    if (commandLine.isUsageHelpRequested()) {
      throw new ProgramParametrizationException(commandLine.getUsageMessage());
    }
    job.call();
  }

  private static String usage(ParameterException failure) {
    return failure.getMessage() + "\n" + failure.getCommandLine().getUsageMessage();
  }

  /**
   * What a person needs of a failure: the outermost message of this project, else the innermost.
   */
  static String message(Throwable failure) {
    Throwable innermost = failure;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (isOurs(cause) && cause.getMessage() != null) {
        return cause.getMessage();
      }
      innermost = cause;
    }
    return innermost.getMessage() == null
        ? ExceptionUtils.stringifyException(failure)
        : innermost.getMessage();
  }

  private static boolean isOurs(Throwable failure) {
    StackTraceElement[] trace = failure.getStackTrace();
    return failure.getClass().getName().startsWith(OWN_PACKAGE)
        || (trace.length > 0 && trace[0].getClassName().startsWith(OWN_PACKAGE));
  }

  /** Flink runs a job's main method under a class loader of its own. */
  private static boolean insideFlink() {
    return Thread.currentThread().getContextClassLoader() != ClassLoader.getSystemClassLoader();
  }
}
