package io.korpse.flink.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Holds docs/peer-comparison.md against the tests and commands that it names. */
final class PeerComparisonTest {

  private static final Path DOCUMENT = BuildFacts.ROOT.resolve("docs/peer-comparison.md");

  /** Numbers that were never given. */
  private static final Set<Integer> NO_FAULT = Set.of(13, 21, 32, 47, 65, 80);

  private static final Pattern TEST = Pattern.compile("`(\\w+(?:Test|IT))(?:#(\\w+))?`");
  private static final Pattern FAULT = Pattern.compile("\\bW\\d+\\b");
  private static final Pattern COMMAND = Pattern.compile("`flink-jobs/bin/bench (\\w)(\\w*)`");

  /** Names of the test methods of each test class of the project. */
  private static final Map<String, Set<String>> TESTS = new HashMap<>();

  /** The faults that the comment of each test method ({@code Class#method}) speaks of. */
  private static final Map<String, Set<String>> FAULTS = new HashMap<>();

  @BeforeAll
  static void findTests() throws IOException {
    Pattern method =
        Pattern.compile(
            "@(?:Test|ParameterizedTest|RepeatedTest)\\b[^{]*?\\bvoid (\\w+)\\(", Pattern.DOTALL);
    for (String module : List.of("korpse-offsets", "korpse-flink-source", "flink-jobs")) {
      try (Stream<Path> files = Files.walk(BuildFacts.ROOT.resolve(module + "/src/test/java"))) {
        for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
          Set<String> methods = new HashSet<>();
          // The values of a parameterized test may stand between braces.
          String source = Files.readString(file).replaceAll("\\{[^{}]*}(?=\\)\\s)", "");
          String name = file.getFileName().toString().replace(".java", "");
          for (MatchResult found : method.matcher(source).results().toList()) {
            methods.add(found.group(1));
            FAULT
                .matcher(commentBefore(source, found.start()))
                .results()
                .forEach(
                    fault ->
                        FAULTS
                            .computeIfAbsent(name + "#" + found.group(1), added -> new HashSet<>())
                            .add(fault.group()));
          }
          // Two modules may have a test of one name.
          TESTS.computeIfAbsent(name, added -> new HashSet<>()).addAll(methods);
        }
      }
    }
  }

  /** The Javadoc of what begins here; other annotations may stand between the two. */
  private static String commentBefore(String source, int position) {
    int start = source.lastIndexOf("/**", position);
    int end = source.indexOf("*/", Math.max(start, 0));
    boolean own =
        start >= 0 && end < position && !source.substring(end, position).matches("(?s).*[;{}].*");
    return own ? source.substring(start, end) : "";
  }

  @Test
  void names_tests_that_exist() throws IOException {
    List<MatchResult> named = TEST.matcher(Files.readString(DOCUMENT)).results().toList();

    assertThat(named).hasSizeGreaterThan(100);
    for (MatchResult test : named) {
      assertThat(TESTS).containsKey(test.group(1));
      if (test.group(2) != null) {
        assertThat(TESTS.get(test.group(1))).as(test.group(1)).contains(test.group(2));
      }
    }
  }

  @Test
  void names_commands_that_exist() throws IOException {
    List<MatchResult> named = COMMAND.matcher(Files.readString(DOCUMENT)).results().toList();

    assertThat(named).isNotEmpty();
    Path scenarios = BuildFacts.ROOT.resolve("flink-jobs/src/main/java/io/korpse/flink/jobs/bench");
    for (MatchResult command : named) {
      String name = command.group(1).toUpperCase(Locale.ROOT) + command.group(2);
      assertThat(scenarios.resolve(name + "Scenario.java")).exists();
    }
  }

  @Test
  void shows_each_row_by_a_test_or_a_command_or_says_why_it_does_not_apply() throws IOException {
    List<String> rows =
        Files.readAllLines(DOCUMENT).stream()
            .filter(line -> line.startsWith("| ") && !line.endsWith("| shown by |"))
            .toList();

    assertThat(rows).hasSizeGreaterThan(150);
    assertThat(rows)
        .allMatch(
            row ->
                TEST.matcher(row).find()
                    || COMMAND.matcher(row).find()
                    || row.contains("does not apply: "));
  }

  @Test
  void has_a_row_for_each_known_fault() throws IOException {
    Set<Integer> rows = new TreeSet<>();
    Matcher row =
        Pattern.compile("^\\| W(\\d+) \\|", Pattern.MULTILINE).matcher(Files.readString(DOCUMENT));
    row.results().forEach(found -> rows.add(Integer.valueOf(found.group(1))));

    Set<Integer> expected = new TreeSet<>();
    IntStream.rangeClosed(1, 86).filter(n -> !NO_FAULT.contains(n)).forEach(expected::add);
    assertThat(rows).isEqualTo(expected);
  }

  /** Whoever changes such a test knows what it holds. */
  @Test
  void each_fault_is_named_by_one_of_its_tests() throws IOException {
    for (String row : Files.readAllLines(DOCUMENT)) {
      Matcher fault = FAULT.matcher(row);
      if (row.startsWith("| W") && TEST.matcher(row).find() && fault.find()) {
        assertThat(TEST.matcher(row).results().map(test -> test.group(1) + "#" + test.group(2)))
            .as(fault.group())
            .anyMatch(test -> FAULTS.getOrDefault(test, Set.of()).contains(fault.group()));
      }
    }
  }
}
