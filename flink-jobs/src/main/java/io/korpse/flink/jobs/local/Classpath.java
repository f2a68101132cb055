package io.korpse.flink.jobs.local;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The class paths that the build wrote to {@code flink-jobs/target/classpath}. */
public final class Classpath {

  private static final String OWN_GROUP = "/org/apache/flink/";

  private final Path target;

  private Classpath(Path target) {
    this.target = target;
  }

  /**
   * The class paths of a build.
   *
   * @param target {@code flink-jobs/target}
   */
  public static Classpath of(Path target) {
    return new Classpath(target.toAbsolutePath());
  }

  /** What a Flink distribution has in its lib directory; nothing of Kafka. */
  public List<Path> flink() {
    return read("flink.txt").toList();
  }

  /** Kafka's server and tools with their dependencies; nothing of Flink. */
  public List<Path> kafka() {
    return Stream.concat(read("runtime.txt"), read("provided.txt"))
        .filter(jar -> !unixPath(jar).contains(OWN_GROUP))
        .filter(jar -> !jar.getFileName().toString().startsWith("korpse-"))
        .toList();
  }

  /** The ZooKeeper that Flink ships, and the compression that it takes from Kafka's side. */
  public List<Path> zooKeeper() {
    return Stream.concat(
            read("flink.txt"),
            read("runtime.txt")
                .filter(jar -> jar.getFileName().toString().startsWith("snappy-java")))
        .toList();
  }

  /**
   * The job jar.
   *
   * @throws IllegalStateException when it was not built
   */
  public Path jobJar() {
    try (Stream<Path> files = Files.list(target)) {
      return files
          .filter(file -> file.getFileName().toString().matches("flink-jobs-.*-job\\.jar"))
          .findFirst()
          .orElseThrow(() -> notBuilt("the job jar"));
    } catch (IOException e) {
      throw notBuilt("the job jar");
    }
  }

  private Stream<Path> read(String file) {
    Path list = target.resolve("classpath").resolve(file);
    try {
      List<Path> jars =
          Stream.of(Files.readString(list).trim().split(File.pathSeparator))
              .filter(entry -> !entry.isEmpty())
              .map(Path::of)
              .toList();
      jars.stream()
          .filter(jar -> !Files.exists(jar))
          .findFirst()
          .ifPresent(
              jar -> {
                throw notBuilt(jar.toString());
              });
      return jars.stream();
    } catch (IOException e) {
      throw new UncheckedIOException(notBuilt(list.toString()).getMessage(), e);
    }
  }

  private static String unixPath(Path jar) {
    return jar.toString().replace(File.separatorChar, '/');
  }

  private static IllegalStateException notBuilt(String what) {
    return new IllegalStateException(
        what + " is missing: build it with mvn -B package -pl flink-jobs -am -DskipTests");
  }
}
