package io.korpse.flink.jobs.local;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** What the commands in {@code bin} share: where they are, and how they end. */
public final class Tool {

  @Option(
      names = "--home",
      hidden = true,
      required = true,
      description = "Directory of flink-jobs.",
      defaultValue = "${sys:korpse.home}")
  private Path home;

  /** The directory of flink-jobs. */
  public Path home() {
    return home.toAbsolutePath().normalize();
  }

  /**
   * Runs a command and returns its exit code; a failure is printed as one line, unless a signal is
   * ending this JVM.
   */
  public static int execute(Callable<Integer> tool, String... arguments) {
    CommandLine commandLine = new CommandLine(tool);
    String name = commandLine.getCommandName();
    return commandLine
        .setExecutionExceptionHandler(
            (failure, command, parsed) -> {
              if (!Workspace.shuttingDown()) {
                command.getErr().println(name + ": " + failure.getMessage());
              }
              return CommandLine.ExitCode.SOFTWARE;
            })
        .execute(arguments);
  }
}
