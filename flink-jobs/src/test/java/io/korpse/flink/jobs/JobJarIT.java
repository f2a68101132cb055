package io.korpse.flink.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.jobs.local.Classpath;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;

/** What a cluster gets. */
final class JobJarIT {

  /** Flink's connectors come with the job, as Flink's manual says; all else is the cluster's. */
  private static final List<String> CONNECTORS =
      List.of(
          "org/apache/flink/connector/base/",
          "org/apache/flink/connector/file/",
          "org/apache/flink/connector/kafka/",
          "org/apache/flink/streaming/connectors/kafka/",
          "org/apache/flink/streaming/util/serialization/JSONKeyValue",
          "org/apache/flink/streaming/api/functions/sink/filesystem/");

  @Test
  void names_the_main_job_and_carries_no_signature() throws IOException {
    try (JarFile jar = jar()) {
      assertThat(jar.getManifest().getMainAttributes().getValue("Main-Class"))
          .isEqualTo(FlightDelaysJob.class.getName());
      assertThat(names(jar)).noneMatch(name -> name.matches("META-INF/.*\\.(SF|RSA|DSA)"));
    }
  }

  @Test
  void holds_what_a_cluster_lacks() throws IOException {
    try (JarFile jar = jar()) {
      assertThat(names(jar))
          .contains(
              "io/korpse/flink/jobs/FlightDelaysJob.class",
              "io/korpse/flink/source/KorpseSource.class",
              "io/korpse/offsets/Position.class",
              "org/apache/kafka/clients/consumer/KafkaConsumer.class",
              "org/apache/flink/connector/file/sink/FileSink.class",
              "org/apache/flink/connector/kafka/sink/KafkaSink.class",
              "com/fasterxml/jackson/databind/ObjectMapper.class",
              "com/github/luben/zstd/Zstd.class",
              "picocli/CommandLine.class");
    }
  }

  @Test
  void leaves_out_flink_itself_the_loggers_brokers_and_the_launcher() throws IOException {
    try (JarFile jar = jar()) {
      assertThat(names(jar))
          .filteredOn(name -> name.endsWith(".class"))
          .noneMatch(
              name ->
                  name.startsWith("org/apache/flink/")
                      && CONNECTORS.stream().noneMatch(name::startsWith))
          .noneMatch(name -> name.startsWith("org/slf4j/"))
          .noneMatch(name -> name.startsWith("org/apache/logging/"))
          .noneMatch(name -> name.startsWith("kafka/"))
          .noneMatch(name -> name.startsWith("scala/"))
          .noneMatch(name -> name.startsWith("io/korpse/flink/jobs/local/"))
          .noneMatch(name -> name.startsWith("io/korpse/flink/jobs/demo/"))
          .noneMatch(name -> name.startsWith("io/korpse/flink/jobs/chaos/"))
          .noneMatch(name -> name.startsWith("io/korpse/flink/jobs/bench/"));
    }
  }

  @Test
  void every_service_it_names_is_inside_or_flinks() throws IOException {
    try (JarFile jar = jar()) {
      List<String> names = names(jar);
      List<String> services =
          names.stream().filter(name -> name.matches("META-INF/services/[^/]+")).toList();
      assertThat(services).isNotEmpty();
      for (String service : services) {
        assertThat(lines(jar, service))
            .as(service)
            .isNotEmpty()
            .allMatch(provider -> names.contains(provider.replace('.', '/') + ".class"));
      }
    }
  }

  private static JarFile jar() throws IOException {
    return new JarFile(Classpath.of(Path.of("target")).jobJar().toFile());
  }

  private static List<String> names(JarFile jar) {
    return jar.stream().map(ZipEntry::getName).toList();
  }

  private static List<String> lines(JarFile jar, String entry) throws IOException {
    try (InputStream in = jar.getInputStream(jar.getEntry(entry))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(line -> line.replaceAll("#.*", "").strip())
          .filter(line -> !line.isEmpty())
          .toList();
    }
  }
}
