package io.korpse.flink.jobs.bench;

import java.util.List;

/** The measurements behind {@code docs/performance.md}, each with its command line. */
final class Suite {

  /**
   * @param name the name of its file of results
   * @param title its heading
   * @param arguments of the bench command
   */
  record Entry(String name, String title, List<String> arguments) {}

  private static final List<Entry> ENTRIES =
      List.of(
          entry("throughput", "Throughput: values of 100 bytes, as byte arrays", "throughput"),
          entry("throughput-string", "Throughput: as strings", "throughput --values string"),
          entry(
              "throughput-1024",
              "Throughput: values of 1,024 bytes",
              "throughput --size 1024 --records 5000000"),
          entry("throughput-zstd", "Throughput: zstd", "throughput --compression zstd"),
          entry("throughput-headers", "Throughput: four headers", "throughput --headers 4"),
          entry("throughput-keys", "Throughput: keys", "throughput --keys"),
          entry("json", "JSON to a class, counted by key", "json"),
          entry("partitions", "Many partitions", "partitions"),
          entry("latency", "Latency", "latency"),
          entry("idle", "Idle", "idle"),
          entry("restore", "Restore", "restore"),
          entry("memory", "Memory", "memory"),
          entry(
              "memory-zstd",
              "Memory: values that compress well",
              "memory --payload compressible --compression zstd"),
          entry("memory-headers", "Memory: headers", "memory --headers 4"),
          entry(
              "memory-zstd-headers",
              "Memory: values that compress well, and headers",
              "memory --payload compressible --compression zstd --headers 4"),
          entry("order", "Order", "order"),
          entry(
              "order-long",
              "Order: ten times as many records",
              "order --records 15937500 --warmups 2 --runs 3"),
          entry(
              "order-2000",
              "Order: 2,000 partitions",
              "order --partitions 2000 --warmups 2 --runs 3"),
          entry("resume", "Resume", "resume"),
          entry("isolation", "Isolation", "isolation"),
          entry("commit", "Commit", "commit"),
          entry("lag", "Lag", "lag"));

  private Suite() {}

  private static Entry entry(String name, String title, String arguments) {
    return new Entry(name, title, List.of(arguments.split(" ")));
  }

  static List<Entry> entries() {
    return ENTRIES;
  }
}
