package io.korpse.flink.jobs.demo;

import io.korpse.flink.jobs.local.Tool;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options of {@code bin/demo}; {@link DemoRun} does the work. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    version = "Korpse demo",
    sortOptions = false,
    showDefaultValues = true,
    description = {
      "Runs the main job with real parts: starts a Kafka broker and a Flink cluster, loads 20,000"
          + " flights, reads them through Korpse into daily delays per airport, and stops when"
          + " everything is read and committed.",
      "Progress goes to standard error, the result to standard output. Nothing is left running,"
          + " and no temporary data."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all records were read, counted once and committed",
      "1:something failed; the last line says what",
      "2:an option is wrong"
    })
public final class Demo implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the summary there as JSON.")
  private Path json;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description =
          "Keep the CSV files there; those of an earlier demo are replaced. Without it they are"
              + " counted and deleted.")
  private Path out;

  @Option(
      names = "--fail-once",
      description =
          "Kill the TaskManager with half of the flights read, and start another. The result must"
              + " be the same.")
  private boolean failOnce;

  @Option(
      names = "--keep-running",
      description = "Leave Kafka, Flink and the job running until Ctrl-C.")
  private boolean keepRunning;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Port of Flink's web page. Default: 8081, or a free one if that is taken.",
      showDefaultValue = CommandLine.Help.Visibility.NEVER)
  private Integer port;

  @Option(
      names = "--bootstrap-server",
      paramLabel = "HOST:PORT",
      description =
          "Use this Kafka instead of starting one. The topic must not exist or be empty; what the"
              + " demo creates it deletes.")
  private String bootstrapServers;

  @Option(names = "--topic", paramLabel = "TOPIC", description = "Topic to create and read.")
  private String topic = "flights";

  @Option(names = "--group", paramLabel = "GROUP", description = "Consumer group to commit to.")
  private String group = "flight-delays";

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Flights to load per second; 0 is as fast as it goes.")
  private int rate = 5_000;

  @Mixin private Tool tool;

  /** Runs the demo and ends the JVM with its exit code. */
  public static void main(String[] arguments) {
    System.exit(execute(arguments));
  }

  /** Runs the demo and returns its exit code. */
  static int execute(String... arguments) {
    return Tool.execute(new Demo(), arguments);
  }

  @Override
  public Integer call() throws Exception {
    if (port != null && (port < 1 || port > 65_535)) {
      throw new ParameterException(
          spec.commandLine(), "--port " + port + " is not between 1 and 65535");
    }
    if (rate < 0) {
      throw new ParameterException(spec.commandLine(), "--rate " + rate + " is negative");
    }
    new DemoRun(
            new DemoRun.Settings(
                tool.home(),
                Optional.ofNullable(json),
                Optional.ofNullable(out),
                failOnce,
                keepRunning,
                Optional.ofNullable(port),
                Optional.ofNullable(bootstrapServers),
                topic,
                group,
                rate),
            spec.commandLine().getOut(),
            spec.commandLine().getErr())
        .run();
    return CommandLine.ExitCode.OK;
  }
}
