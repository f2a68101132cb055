package io.korpse.flink.jobs.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.runtime.util.EnvironmentInformation;
import org.apache.kafka.common.utils.AppInfoParser;

/** The machine and the versions behind the figures. */
final class Environment {

  private Environment() {}

  static Map<String, String> describe() {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    Map<String, String> description = new LinkedHashMap<>();
    description.put("time", Instant.now().truncatedTo(ChronoUnit.MINUTES).toString());
    description.put("cores", Integer.toString(system.getAvailableProcessors()));
    description.put("processor", processor());
    description.put("memoryMiB", Long.toString(system.getTotalMemorySize() >> 20));
    description.put("loadAverageAtEnd", "%.2f".formatted(system.getSystemLoadAverage()));
    description.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    description.put("java", System.getProperty("java.vm.version"));
    description.put("flink", EnvironmentInformation.getVersion());
    description.put("kafka", AppInfoParser.getVersion());
    description.put("flink-connector-kafka", connectorVersion());
    return description;
  }

  private static String connectorVersion() {
    String file =
        Path.of(KafkaSource.class.getProtectionDomain().getCodeSource().getLocation().getPath())
            .getFileName()
            .toString();
    return file.replace("flink-connector-kafka-", "").replace(".jar", "");
  }

  private static String processor() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/cpuinfo"))) {
        if (line.startsWith("model name")) {
          return line.substring(line.indexOf(':') + 1).trim();
        }
      }
    } catch (IOException e) {
      return System.getProperty("os.arch");
    }
    return System.getProperty("os.arch");
  }
}
