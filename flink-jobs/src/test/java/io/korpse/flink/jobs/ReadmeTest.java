package io.korpse.flink.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.KorpseSourceOptions;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;
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
      Matcher name = Pattern.compile("public (?:final )?class (\\w+)").matcher(block);
      assertThat(name.find()).as(block).isTrue();
      Path file = Files.writeString(directory.resolve(name.group(1) + ".java"), block);
      assertThat(errors(file)).isEmpty();
    }
  }

  @Test
  void the_commands_are_there() throws IOException {
    assertThat(BuildFacts.ROOT.resolve("flink-jobs/bin/demo")).isExecutable();
    assertThat(BuildFacts.ROOT.resolve("flink-jobs/bin/chaos")).isExecutable();
    assertThat(blocks("sh")).contains("flink-jobs/bin/demo\n", "mvn -B verify\n");
    assertThat(blocks("sh")).anyMatch(block -> block.contains("target/" + BuildFacts.jobJar()));
    assertThat(BuildFacts.ROOT.resolve(".ci/run")).content().contains("mvn -B verify");
  }

  @Test
  void the_versions_are_those_of_the_build() throws IOException {
    assertThat(Files.readString(README))
        .contains(
            "Flink " + BuildFacts.defaultFlinkVersion(),
            "Kafka clients " + BuildFacts.kafkaVersion(),
            "| " + BuildFacts.flinkVersion() + " | `mvn -B verify");
  }

  @Test
  void the_tuning_table_names_real_options_with_their_defaults() throws Exception {
    Map<String, ConfigOption<?>> options = new HashMap<>();
    for (Field field : KorpseSourceOptions.class.getFields()) {
      if (field.get(null) instanceof ConfigOption<?> option) {
        options.put(option.key(), option);
      }
    }
    List<MatchResult> rows =
        Pattern.compile("^\\| `([a-z.-]+)` \\| ([^|]*) \\|", Pattern.MULTILINE)
            .matcher(tuning())
            .results()
            .toList();
    assertThat(rows).hasSizeGreaterThan(5);
    for (MatchResult row : rows) {
      assertThat(options).containsKey(row.group(1));
      ConfigOption<?> option = options.get(row.group(1));
      if (option.hasDefaultValue()) {
        assertThat(row.group(2)).as(row.group(1)).isEqualTo(text(option.defaultValue()));
      }
    }
  }

  private static String text(Object value) {
    return value instanceof MemorySize size ? size.getMebiBytes() + " MB" : value.toString();
  }

  private static String tuning() throws IOException {
    String readme = Files.readString(README);
    return readme.substring(readme.indexOf("## Tuning"), readme.indexOf("## Proof"));
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
