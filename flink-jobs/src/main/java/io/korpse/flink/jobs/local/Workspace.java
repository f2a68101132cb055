package io.korpse.flink.jobs.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A temporary directory and the processes that work in it. Closing it kills the processes and
 * deletes the directory; the end of this JVM closes it too. Thread-safe.
 */
public final class Workspace implements AutoCloseable {

  /** Longest time for which files may still appear while the directory is deleted. */
  private static final long DELETE_NANOS = 5_000_000_000L;

  private static final long PAUSE_NANOS = 10_000_000L;

  private final Path directory;
  private final List<ChildProcess> children = new ArrayList<>();
  private final List<Runnable> lastActions = new ArrayList<>();
  private final Thread hook = new Thread(this::dispose, "workspace-cleanup");
  private boolean closed;

  private Workspace(Path directory) {
    this.directory = directory;
  }

  /** Creates an empty directory under the system's temporary directory. */
  public static Workspace create(String prefix) {
    try {
      Workspace workspace = new Workspace(Files.createTempDirectory(prefix));
      Runtime.getRuntime().addShutdownHook(workspace.hook);
      return workspace;
    } catch (IOException e) {
      throw new UncheckedIOException("No temporary directory could be made", e);
    }
  }

  /** The directory itself. */
  public Path directory() {
    return directory;
  }

  /**
   * Creates a directory in the workspace, also its parents.
   *
   * @throws IllegalStateException when the workspace is closed
   */
  public Path subdirectory(String name) {
    synchronized (children) {
      if (closed) {
        throw new IllegalStateException("The workspace " + directory + " is closed");
      }
      try {
        return Files.createDirectories(directory.resolve(name));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Adds what is done after the processes are gone; it must not throw. */
  public void onClose(Runnable action) {
    synchronized (children) {
      lastActions.add(action);
    }
  }

  /** Keeps the logs of all processes in this directory when the workspace is closed. */
  public void keepLogs(Path target) {
    onClose(
        () -> {
          try (Stream<Path> logs = Files.list(directory.resolve("logs"))) {
            Files.createDirectories(target);
            for (Path log : logs.toList()) {
              Files.copy(
                  log, target.resolve(log.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
          } catch (IOException e) {
            throw new UncheckedIOException("Could not keep the logs in " + target, e);
          }
        });
  }

  /** Whether this JVM is ending, by a signal or by {@link System#exit}. */
  public static boolean shuttingDown() {
    Thread probe = new Thread("shutdown-probe");
    try {
      Runtime.getRuntime().addShutdownHook(probe);
      Runtime.getRuntime().removeShutdownHook(probe);
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  /**
   * Starts a process that ends with this workspace.
   *
   * @throws IllegalStateException when the workspace is closed
   */
  ChildProcess start(JavaCommand command) {
    synchronized (children) {
      if (closed) {
        throw new IllegalStateException("The workspace " + directory + " is closed");
      }
      children.removeIf(child -> !child.isAlive());
      ChildProcess child = command.start(directory);
      children.add(child);
      return child;
    }
  }

  @Override
  public void close() {
    dispose();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is ending and runs the hook anyway.
    }
  }

  private void dispose() {
    List<ChildProcess> toKill;
    List<Runnable> toRun;
    synchronized (children) {
      if (closed) {
        return;
      }
      closed = true;
      toKill = List.copyOf(children);
      toRun = List.copyOf(lastActions);
    }
    toKill.forEach(ChildProcess::kill);
    toKill.forEach(ChildProcess::awaitEnd);
    toRun.forEach(Runnable::run);
    deleteWhole();
  }

  /**
   * At the end of the JVM other threads go on until the hooks are done, and may write another file
   * into a directory that is just being deleted.
   */
  private void deleteWhole() {
    long deadline = System.nanoTime() + DELETE_NANOS;
    while (true) {
      try {
        deleteRecursively(directory);
        return;
      } catch (DirectoryNotEmptyException e) {
        if (System.nanoTime() - deadline >= 0) {
          throw new UncheckedIOException("Could not delete " + directory, e);
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      } catch (IOException e) {
        throw new UncheckedIOException("Could not delete " + directory, e);
      }
    }
  }

  private static void deleteRecursively(Path root) throws IOException {
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            if (failure instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw failure;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, IOException failure)
              throws IOException {
            Files.deleteIfExists(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
