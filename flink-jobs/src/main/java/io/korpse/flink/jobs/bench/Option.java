package io.korpse.flink.jobs.bench;

import java.util.Locale;

/** The options of a scenario; each scenario says which it takes and with which default. */
enum Option {
  RUNS("N", "Measured runs per source."),
  WARMUPS("N", "Whole runs per source that are thrown away first."),
  RECORDS("N", "Records of the whole topic."),
  SIZE("BYTES", "Bytes of one value."),
  COMPRESSION("CODEC", "Codec of the producer: none, gzip, snappy, lz4 or zstd."),
  HEADERS("N", "Headers per record, of 16 bytes each."),
  KEYS("BOOL", "Give each record a key of 16 bytes."),
  PARTITIONS("N[,N...]", "Partitions of the topic; a list in 'partitions' only."),
  SECONDS("N", "Length of one run."),
  RATE("N[,N...]", "Records per second that the sink takes, or that are produced."),
  HEAP("SIZE", "-Xmx of the child that runs a source, such as 2g."),
  VALUES("TYPE", "What a value is read as: bytes or string."),
  PAYLOAD("KIND", "What a value is made of: random or compressible."),
  PARALLELISM("N", "Parallelism of the Flink job."),
  CONSUMER("K=V[;K=V...]", "Further properties of every consumer and source.");

  private final String label;
  private final String description;

  Option(String label, String description) {
    this.label = label;
    this.description = description;
  }

  String flag() {
    return "--" + name().toLowerCase(Locale.ROOT);
  }

  String label() {
    return label;
  }

  String description() {
    return description;
  }

  /** Refuses a value that cannot be meant, with the value in the message. */
  void check(String value) {
    switch (this) {
      case RUNS, RECORDS, SIZE, SECONDS, PARALLELISM -> wholeNumber(value, value, 1);
      case WARMUPS, HEADERS -> wholeNumber(value, value, 0);
      case PARTITIONS, RATE -> {
        for (String part : value.split(",", -1)) {
          wholeNumber(value, part, 1);
        }
      }
      case COMPRESSION -> oneOf(value, "none", "gzip", "snappy", "lz4", "zstd");
      case VALUES -> oneOf(value, "bytes", "string");
      case PAYLOAD -> oneOf(value, "random", "compressible");
      case KEYS -> oneOf(value, "true", "false");
      case HEAP -> {
        if (!value.matches("[1-9][0-9]*[mg]")) {
          throw refused(value, "a size such as 256m or 2g");
        }
      }
      case CONSUMER -> {
        for (String pair : value.isEmpty() ? new String[0] : value.split(";", -1)) {
          if (pair.indexOf('=') < 1) {
            throw refused(value, "key=value pairs separated by ';'");
          }
        }
      }
    }
  }

  private void wholeNumber(String value, String part, long least) {
    long number;
    try {
      number = Long.parseLong(part.trim());
    } catch (NumberFormatException e) {
      throw refused(value, "a whole number");
    }
    if (number < least) {
      throw refused(value, "at least " + least);
    }
  }

  private void oneOf(String value, String... allowed) {
    for (String candidate : allowed) {
      if (candidate.equals(value)) {
        return;
      }
    }
    throw refused(value, "one of " + String.join(", ", allowed));
  }

  private IllegalArgumentException refused(String value, String wanted) {
    return new IllegalArgumentException(flag() + " is '" + value + "'; it must be " + wanted + ".");
  }
}
