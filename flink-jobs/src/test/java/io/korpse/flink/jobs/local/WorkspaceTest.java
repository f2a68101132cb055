package io.korpse.flink.jobs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class WorkspaceTest {

  @Test
  void kills_its_processes_and_deletes_its_files_when_closed() {
    Workspace workspace = Workspace.create("korpse-test-");
    ChildProcess child = workspace.start(sleeper("sleeper"));
    awaitLine(child, "asleep");

    workspace.close();

    assertThat(child.isAlive()).isFalse();
    assertThat(workspace.directory()).doesNotExist();
  }

  @Test
  void starts_no_process_once_closed() {
    Workspace workspace = Workspace.create("korpse-test-");
    workspace.close();

    assertThatThrownBy(() -> workspace.start(sleeper("late")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void makes_no_directory_once_closed() {
    Workspace workspace = Workspace.create("korpse-test-");
    workspace.close();

    assertThatThrownBy(() -> workspace.subdirectory("late/conf"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    assertThat(workspace.directory()).doesNotExist();
  }

  /** A signal ends the tool while its main thread is in the middle of writing. */
  @Test
  void deletes_its_files_also_while_another_thread_still_writes_some() throws Exception {
    Workspace workspace = Workspace.create("korpse-test-");
    Path directory = workspace.subdirectory("conf");
    CountDownLatch writing = new CountDownLatch(1);
    Thread writer =
        new Thread(
            () -> {
              try {
                for (int i = 0; i < 100_000; i++) {
                  Files.createFile(directory.resolve("file-" + i));
                  writing.countDown();
                }
              } catch (IOException e) {
                // The directory is gone.
              }
            });
    writer.start();
    writing.await();

    workspace.close();
    writer.join();

    assertThat(workspace.directory()).doesNotExist();
  }

  @Test
  void runs_the_last_actions_once_and_after_the_processes_are_gone() {
    List<Boolean> aliveAtLast = new ArrayList<>();
    Workspace workspace = Workspace.create("korpse-test-");
    ChildProcess child = workspace.start(sleeper("sleeper"));
    workspace.onClose(() -> aliveAtLast.add(child.isAlive()));

    workspace.close();
    workspace.close();

    assertThat(aliveAtLast).containsExactly(false);
  }

  @Test
  void a_process_ends_when_its_parent_is_killed() {
    try (Workspace workspace = Workspace.create("korpse-test-")) {
      ChildProcess parent =
          workspace.start(
              new JavaCommand(
                  "parent",
                  classPath(),
                  List.of("-Xmx64m", "-Djava.io.tmpdir=" + workspace.directory()),
                  ParentOfSleeper.class.getName(),
                  List.of()));
      awaitLine(parent, "child ");
      long grandchild =
          Long.parseLong(
              parent
                  .tail()
                  .lines()
                  .filter(l -> l.startsWith("child "))
                  .findFirst()
                  .orElseThrow()
                  .substring(6));
      assertThat(ProcessHandle.of(grandchild)).isPresent();

      parent.kill();

      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> ProcessHandle.of(grandchild).filter(ProcessHandle::isAlive).isEmpty());
    }
  }

  @Test
  void quotes_the_log_of_a_process_that_ended_early() {
    try (Workspace workspace = Workspace.create("korpse-test-")) {
      ChildProcess child =
          workspace.start(
              new JavaCommand("failing", classPath(), List.of(), "no.such.Main", List.of()));
      child.awaitEnd();

      assertThatThrownBy(child::requireAlive)
          .hasMessageContaining("failing ended with exit code 1")
          .hasMessageContaining("no.such.Main");
    }
  }

  @Test
  void a_frozen_process_goes_on_when_thawed() {
    try (Workspace workspace = Workspace.create("korpse-test-")) {
      ChildProcess child = workspace.start(sleeper("sleeper"));
      child.freeze();
      child.terminate();
      assertThat(child.isAlive()).isTrue();

      child.thaw();

      await().atMost(Duration.ofSeconds(30)).until(() -> !child.isAlive());
    }
  }

  private static JavaCommand sleeper(String name) {
    return new JavaCommand(
        name, classPath(), List.of("-Xmx64m"), Sleeper.class.getName(), List.of());
  }

  private static void awaitLine(ChildProcess child, String text) {
    await().atMost(Duration.ofSeconds(30)).until(() -> child.tail().contains(text));
  }

  private static List<Path> classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(Path::of)
        .filter(Files::isDirectory)
        .toList();
  }

  /** Does nothing for longer than any test. */
  public static final class Sleeper {
    private Sleeper() {}

    public static void main(String[] arguments) throws InterruptedException {
      System.out.println("asleep");
      Thread.currentThread().join();
    }
  }

  /** Starts a {@link Sleeper} as a launcher would, prints its process id, and waits. */
  public static final class ParentOfSleeper {
    private ParentOfSleeper() {}

    public static void main(String[] arguments) throws InterruptedException {
      Workspace workspace = Workspace.create("korpse-test-");
      System.out.println("child " + workspace.start(sleeper("grandchild")).pid());
      Thread.currentThread().join();
    }
  }
}
