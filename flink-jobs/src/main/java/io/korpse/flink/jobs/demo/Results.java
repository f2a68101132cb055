package io.korpse.flink.jobs.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The directory of CSV files that the job writes. */
record Results(Path directory) {

  /**
   * Makes the directory empty: creates it, or takes away what an earlier run wrote.
   *
   * @throws IllegalArgumentException when it holds anything else
   */
  void prepare() {
    try {
      Files.createDirectories(directory);
      List<Path> present = list();
      for (Path file : present) {
        if (!isResult(file) && !isLeftover(file)) {
          throw new IllegalArgumentException(
              directory
                  + " holds "
                  + file.getFileName()
                  + ", which no demo wrote; give --out an empty directory");
        }
      }
      for (Path file : present) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("--out " + directory + " cannot be used: " + e, e);
    }
  }

  /** Deletes the unfinished files that a killed TaskManager left; they hold no result. */
  void deleteLeftovers() {
    for (Path file : list()) {
      if (isLeftover(file)) {
        try {
          Files.delete(file);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  /** Number of rows in finished files. */
  long windows() {
    return rows().size();
  }

  /** Flights counted by the rows of finished files. */
  long flights() {
    return rows().stream().mapToLong(row -> Long.parseLong(fromEnd(row, 2))).sum();
  }

  private List<String> rows() {
    return list().stream().filter(Results::isResult).flatMap(Results::lines).toList();
  }

  private static Stream<String> lines(Path file) {
    try {
      return Files.readAllLines(file).stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A field counted from the end, since the origin may hold commas. */
  private static String fromEnd(String row, int field) {
    String[] fields = row.split(",", -1);
    return fields[fields.length - field];
  }

  private List<Path> list() {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isResult(Path file) {
    return file.getFileName().toString().matches("part-.*\\.csv");
  }

  private static boolean isLeftover(Path file) {
    return file.getFileName().toString().matches("\\.part-.*\\.inprogress\\..*");
  }
}
