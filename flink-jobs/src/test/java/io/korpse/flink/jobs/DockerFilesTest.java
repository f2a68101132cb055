package io.korpse.flink.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;
import picocli.CommandLine;

/** Holds the files in {@code docker/} against the build, since no container runs in the tests. */
final class DockerFilesTest {

  private static List<String> dockerfile;
  private static Map<String, Object> services;

  @BeforeAll
  static void parse() throws IOException {
    Path docker = BuildFacts.ROOT.resolve("docker");
    dockerfile =
        Files.readAllLines(docker.resolve("Dockerfile")).stream()
            .filter(line -> !line.startsWith("#"))
            .toList();
    try (Reader yaml = Files.newBufferedReader(docker.resolve("compose.yaml"))) {
      services = map(map(new Yaml().load(yaml)).get("services"));
    }
  }

  @Test
  void the_images_are_those_of_the_build() {
    assertThat(dockerfile.stream().filter(line -> line.startsWith("FROM ")))
        .containsExactly("FROM flink:" + BuildFacts.defaultFlinkVersion() + "-java17");
    assertThat(services.values().stream().map(service -> map(service).get("image")).distinct())
        .containsExactlyInAnyOrder("apache/kafka:" + BuildFacts.kafkaVersion(), "korpse-jobs");
  }

  @Test
  void what_the_image_copies_is_what_the_build_makes_or_ships() {
    List<String> sources = copies().stream().map(copy -> copy[1]).toList();

    assertThat(sources)
        .containsExactlyInAnyOrder(
            "flink-jobs/target/" + BuildFacts.jobJar(), "flink-jobs/data/flights-20k.json.gz");
    assertThat(BuildFacts.ROOT.resolve("flink-jobs/data/flights-20k.json.gz")).isRegularFile();
  }

  @Test
  void the_image_is_built_from_the_top_directory() {
    Map<String, Object> build = map(service("jobmanager").get("build"));

    assertThat(BuildFacts.ROOT.resolve("docker").resolve((String) build.get("context")).normalize())
        .isEqualTo(BuildFacts.ROOT);
    assertThat(BuildFacts.ROOT.resolve((String) build.get("dockerfile"))).isRegularFile();
  }

  @Test
  void the_job_starts_with_options_that_it_knows() throws ClassNotFoundException {
    List<String> command = strings(service("jobmanager").get("command"));

    assertThat(command.subList(0, 3))
        .containsExactly("standalone-job", "--job-classname", BuildFacts.jobClass());
    requireParses(BuildFacts.jobClass(), command.subList(3, command.size()));
  }

  @Test
  void the_loader_starts_from_paths_in_the_image_with_options_that_it_knows()
      throws ClassNotFoundException {
    List<String> entrypoint = strings(service("load").get("entrypoint"));
    List<String> targets = copies().stream().map(copy -> copy[2]).toList();

    assertThat(entrypoint.subList(0, 2)).containsExactly("java", "-cp");
    assertThat(targets).contains(entrypoint.get(2).split(":", -1)[0]);
    assertThat(targets).contains(option(entrypoint, "--file="));
    requireParses(entrypoint.get(3), entrypoint.subList(4, entrypoint.size()));
  }

  @Test
  void everybody_means_the_same_topic_and_the_broker_that_listens() {
    Map<String, Object> kafka = map(service("kafka").get("environment"));
    assertThat(kafka.get("KAFKA_ADVERTISED_LISTENERS").toString())
        .contains("PLAINTEXT://kafka:9092", "OUTSIDE://localhost:9094");
    assertThat(kafka.get("KAFKA_LISTENERS").toString())
        .contains("PLAINTEXT://:9092", "OUTSIDE://:9094");
    assertThat(service("kafka").get("ports")).isEqualTo(List.of("9094:9094"));
    assertThat(service("jobmanager").get("ports")).isEqualTo(List.of("8081:8081"));

    for (List<String> command : commandsToKafka()) {
      assertThat(option(command, "--bootstrap-server=")).isEqualTo("kafka:9092");
      assertThat(option(command, "--topic=")).isEqualTo("flights");
    }
  }

  private static List<List<String>> commandsToKafka() {
    List<List<String>> commands = new ArrayList<>();
    for (String service : List.of("topic", "jobmanager")) {
      commands.add(strings(service(service).get("command")));
    }
    commands.add(strings(service("load").get("entrypoint")));
    return commands;
  }

  private static List<String[]> copies() {
    return dockerfile.stream()
        .filter(line -> line.startsWith("COPY "))
        .map(line -> line.split(" +"))
        .toList();
  }

  private static String option(List<String> command, String name) {
    return command.stream()
        .filter(argument -> argument.startsWith(name))
        .map(argument -> argument.substring(name.length()))
        .findFirst()
        .orElseThrow();
  }

  private static void requireParses(String commandClass, List<String> options)
      throws ClassNotFoundException {
    new CommandLine(Objects.requireNonNull(Class.forName(commandClass)))
        .parseArgs(options.toArray(String[]::new));
  }

  private static Map<String, Object> service(String name) {
    return map(services.get(name));
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(Object value) {
    return (Map<String, Object>) value;
  }

  @SuppressWarnings("unchecked")
  private static List<String> strings(Object value) {
    return (List<String>) value;
  }
}
