package io.korpse.flink.jobs.chaos;

import io.korpse.flink.jobs.local.Tool;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** Options of {@code bin/chaos}; {@link ChaosRun} does the work. */
@Command(
    name = "chaos",
    mixinStandardHelpOptions = true,
    version = "Korpse chaos",
    sortOptions = false,
    subcommands = {Summary.class, Restarts.class},
    showDefaultValues = true,
    description = {
      "Copies numbered records from topic to topic with real brokers and a real Flink cluster,"
          + " does harm to their processes, and verifies that the copy has every record once, in"
          + " order and whole.",
      "The same seed gives the same plan. Progress goes to standard error."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:nothing was lost, doubled, reordered or corrupted, and each commit was what a completed"
          + " checkpoint held",
      "1:something was, or the cluster did not recover",
      "2:an option is wrong"
    })
public final class Chaos implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Seed of the plan. Default: a random one, which is printed.",
      showDefaultValue = CommandLine.Help.Visibility.NEVER)
  private Long seed;

  @Option(names = "--minutes", paramLabel = "M", description = "How long faults begin.")
  private double minutes = 2;

  @Option(
      names = "--faults",
      paramLabel = "KIND",
      split = ",",
      converter = KindConverter.class,
      description =
          "What may happen: taskmanager-kill, taskmanager-freeze, jobmanager-kill, flink-kill,"
              + " leader-kill, coordinator-kill, controller-kill, broker-freeze, brokers-roll,"
              + " cut-fetch, cut-commit, cut-discovery, storage-failure, add-partitions,"
              + " savepoint, rescale, cut-long, cut-rpc. Default: all.",
      showDefaultValue = CommandLine.Help.Visibility.NEVER)
  private List<FaultKind> faults = Arrays.asList(FaultKind.values());

  @Option(names = "--brokers", paramLabel = "N", description = "Number of brokers.")
  private int brokers = 3;

  @Option(names = "--rate", paramLabel = "N", description = "Records per second.")
  private int rate = 1_000;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the result there as JSON.")
  private Path json;

  @Option(
      names = "--logs",
      paramLabel = "DIR",
      description = "Keep the logs of all processes there.",
      showDefaultValue = CommandLine.Help.Visibility.NEVER)
  private Path logs;

  @Mixin private Tool tool;

  /** Runs the command and ends the JVM with its exit code. */
  public static void main(String[] arguments) {
    System.exit(execute(arguments));
  }

  /** Runs the command and returns its exit code. */
  static int execute(String... arguments) {
    return Tool.execute(new Chaos(), arguments);
  }

  @Override
  public Integer call() throws Exception {
    if (minutes <= 0 || brokers < 1 || rate < 1) {
      throw new ParameterException(
          spec.commandLine(), "--minutes, --brokers and --rate must be above 0");
    }
    long usedSeed = seed == null ? new Random().nextInt(1_000_000) : seed;
    ChaosRun run =
        new ChaosRun(
            usedSeed,
            Schedule.of(usedSeed, Duration.ofMillis((long) (minutes * 60_000)), faults),
            brokers,
            rate,
            spec.commandLine().getErr());
    ChaosResult result = run.run(tool.home(), Optional.ofNullable(logs));
    result.print(spec.commandLine().getOut());
    if (json != null) {
      result.write(json);
    }
    return result.clean() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }

  /** Reads a kind as it is printed. */
  static final class KindConverter implements ITypeConverter<FaultKind> {
    @Override
    public FaultKind convert(String text) {
      try {
        return FaultKind.valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(
            "'" + text + "' is none of " + Arrays.toString(FaultKind.values()));
      }
    }
  }
}
