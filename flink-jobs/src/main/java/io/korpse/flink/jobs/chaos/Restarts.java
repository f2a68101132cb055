package io.korpse.flink.jobs.chaos;

import io.korpse.flink.jobs.local.Census;
import io.korpse.flink.jobs.local.Tool;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options of {@code bin/chaos restarts}; {@link RestartCheck} does the work. */
@Command(
    name = "restarts",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Restarts a job again and again in one JVM and counts threads and Kafka clients.",
      "Ends with 1 when there are more after the last restart than after the first."
    })
final class Restarts implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(names = "--count", paramLabel = "N", description = "Number of restarts.")
  private int count = 50;

  @Mixin private Tool tool;

  @Override
  public Integer call() throws Exception {
    if (count < 2) {
      throw new ParameterException(spec.commandLine(), "--count must be at least 2");
    }
    List<Census> counts = new RestartCheck(spec.commandLine().getErr()).run(tool.home(), count);
    Census first = counts.get(0);
    Census last = counts.get(1);
    spec.commandLine()
        .getOut()
        .printf(
            "%d restarts: threads %d, then %d; clients %d, then %d%n",
            count, first.threadCount(), last.threadCount(), first.clients(), last.clients());
    spec.commandLine().getOut().flush();
    return first.equals(last) ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }
}
