package io.korpse.flink.jobs;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Properties;

/** Versions and names of this build, filled in by Maven. */
final class BuildFacts {

  /** The top directory of the project; tests run in a module's. */
  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static final Properties FACTS = load();

  private BuildFacts() {}

  /** The version of Flink that this build uses, which may be another than the default. */
  static String flinkVersion() {
    return FACTS.getProperty("flink.version");
  }

  static String defaultFlinkVersion() {
    return FACTS.getProperty("flink.default.version");
  }

  static String kafkaVersion() {
    return FACTS.getProperty("kafka.version");
  }

  static String jobJar() {
    return FACTS.getProperty("job.jar");
  }

  static String jobClass() {
    return FACTS.getProperty("job.class");
  }

  private static Properties load() {
    try (InputStream in = BuildFacts.class.getResourceAsStream("/build-facts.properties")) {
      Properties facts = new Properties();
      facts.load(in);
      return facts;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
