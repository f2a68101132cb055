package io.korpse.flink.jobs;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import picocli.CommandLine.Option;

/** The options of a job for its Kafka clients. */
final class ClientOptions {

  @Option(
      names = "--property",
      paramLabel = "KEY=VALUE",
      description =
          "A setting of the Kafka clients or of the source, such as security.protocol or"
              + " partition.discovery.interval.ms. May be repeated.")
  private Map<String, String> properties = new LinkedHashMap<>();

  @Option(
      names = "--client-config",
      paramLabel = "FILE",
      description =
          "A properties file with such settings, readable where the job is submitted to."
              + " Passwords belong there: others can see a command line.")
  private Path file;

  /**
   * All settings; those of the command line win.
   *
   * @throws StartupException when the file cannot be read
   */
  Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    if (file != null) {
      Properties read = new Properties();
      try (Reader text = Files.newBufferedReader(file)) {
        read.load(text);
      } catch (IOException | IllegalArgumentException e) {
        throw new StartupException("The file of --client-config cannot be read: " + e, e);
      }
      read.stringPropertyNames().forEach(key -> settings.put(key, read.getProperty(key)));
    }
    settings.putAll(properties);
    return settings;
  }
}
