package io.korpse.flink.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds what the README shows against the project. */
final class ReadmeTest {

  private static final Path README = BuildFacts.ROOT.resolve("README.md");

  @TempDir private Path directory;

  @Test
  void the_java_code_compiles() throws IOException {
    List<String> blocks = blocks("java");
    assertThat(blocks).isNotEmpty();

    for (String block : blocks) {
      Matcher name = Pattern.compile("public class (\\w+)").matcher(block);
      assertThat(name.find()).as(block).isTrue();
      Path file = Files.writeString(directory.resolve(name.group(1) + ".java"), block);
      assertThat(errors(file)).isEmpty();
    }
  }

  @Test
  void the_commands_are_there() throws IOException {
    assertThat(BuildFacts.ROOT.resolve("flink-jobs/bin/demo")).isExecutable();
    assertThat(blocks("sh")).contains("flink-jobs/bin/demo\n", "mvn -B verify\n");
    assertThat(blocks("sh")).anyMatch(block -> block.contains("target/" + BuildFacts.jobJar()));
    assertThat(BuildFacts.ROOT.resolve(".ci/run")).content().contains("mvn -B verify");
  }

  @Test
  void the_versions_are_those_of_the_build() throws IOException {
    assertThat(Files.readString(README))
        .contains(
            "Flink " + BuildFacts.flinkVersion(), "Kafka clients " + BuildFacts.kafkaVersion());
  }

  private List<String> errors(Path file) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> messages = new DiagnosticCollector<>();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(messages, null, UTF_8)) {
      compiler
          .getTask(
              null,
              files,
              messages,
              List.of(
                  "-proc:none",
                  "-classpath",
                  System.getProperty("java.class.path"),
                  "-d",
                  directory.toString()),
              null,
              files.getJavaFileObjects(file))
          .call();
    }
    return messages.getDiagnostics().stream()
        .filter(message -> message.getKind() == Diagnostic.Kind.ERROR)
        .map(Diagnostic::toString)
        .toList();
  }

  private static List<String> blocks(String language) throws IOException {
    Stream<MatchResult> blocks =
        Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(README))
            .results();
    return blocks.map(block -> block.group(1)).toList();
  }
}
