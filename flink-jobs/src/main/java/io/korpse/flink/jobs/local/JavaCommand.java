package io.korpse.flink.jobs.local;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * How to start a Java process with the JDK that runs this one.
 *
 * @param name what the process is, also the name of its log
 * @param classPath jars and directories
 * @param jvmOptions options before the main class
 * @param mainClass the class to run
 * @param arguments its arguments
 * @param fileLimitKiB how large a file of the process may grow; 0 for any size
 */
record JavaCommand(
    String name,
    List<Path> classPath,
    List<String> jvmOptions,
    String mainClass,
    List<String> arguments,
    int fileLimitKiB) {

  private static final String LIMITED = "ulimit -f %d && exec \"$0\" \"$@\"";

  private static final String LOGGING =
      """
      rootLogger.level = INFO
      rootLogger.appenderRef.console.ref = Console
      appender.console.type = Console
      appender.console.name = Console
      appender.console.layout.type = PatternLayout
      appender.console.layout.pattern = %d{ISO8601} %-5p %c{1.} [%t] %m%n
      """;

  JavaCommand(
      String name,
      List<Path> classPath,
      List<String> jvmOptions,
      String mainClass,
      List<String> arguments) {
    this(name, classPath, jvmOptions, mainClass, arguments, 0);
  }

  ChildProcess start(Path workspace) {
    try {
      Path logs = Files.createDirectories(workspace.resolve("logs"));
      Path log = logs.resolve(name + ".log");
      Path watch = ownClassPath(workspace);
      Path logging = workspace.resolve("log4j2.properties");
      if (!Files.exists(logging)) {
        Files.writeString(logging, LOGGING);
      }

      List<String> command = new ArrayList<>();
      if (fileLimitKiB > 0) {
        command.addAll(List.of("bash", "-c", LIMITED.formatted(fileLimitKiB)));
      }
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.add("-Dlog4j2.configurationFile=" + logging.toUri());
      command.add("-Dlog.file=" + log);
      command.addAll(jvmOptions);
      command.add(ParentWatch.class.getName());
      command.add(mainClass);
      command.addAll(arguments);

      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(workspace.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
      builder
          .environment()
          .put(
              "CLASSPATH",
              watch
                  + File.pathSeparator
                  + classPath.stream()
                      .map(Path::toString)
                      .collect(Collectors.joining(File.pathSeparator)));
      builder.environment().remove("JAVA_TOOL_OPTIONS");
      return new ChildProcess(name, builder.start(), log);
    } catch (IOException e) {
      throw new UncheckedIOException("Could not start " + name, e);
    }
  }

  /** A directory with {@link ParentWatch} and no other class of ours. */
  private static Path ownClassPath(Path workspace) throws IOException {
    Path directory = workspace.resolve("watch");
    String resource = ParentWatch.class.getName().replace('.', '/') + ".class";
    Path target = directory.resolve(resource);
    if (!Files.exists(target)) {
      Files.createDirectories(target.getParent());
      try (InputStream bytes = ParentWatch.class.getClassLoader().getResourceAsStream(resource)) {
        Files.copy(bytes, target);
      }
    }
    return directory;
  }
}
