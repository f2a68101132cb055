package io.korpse.flink.jobs.chaos;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.korpse.flink.jobs.local.Await;
import io.korpse.flink.jobs.local.Classpath;
import io.korpse.flink.jobs.local.Workspace;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;

/** One run of the chaos: load, faults, and the verdict over the copy. */
final class ChaosRun {

  private static final Duration TIME_TO_CATCH_UP = Duration.ofMinutes(5);
  private static final long LOOK_MILLIS = 500;

  /**
   * A fault that happened.
   *
   * @param fault the plan
   * @param target what it was done to
   * @param atMillis when, from the start of the load
   * @param recoveryMillis from the fault until a checkpoint begun after it was complete
   */
  record Happened(Fault fault, String target, long atMillis, long recoveryMillis) {}

  private final long seed;
  private final List<Fault> faults;
  private final int brokers;
  private final int rate;
  private final PrintWriter err;
  private final List<Happened> happened = new ArrayList<>();
  private final Verdict verdict = new Verdict(ChaosCluster.PARTITIONS);
  private long stepsBack;

  ChaosRun(long seed, List<Fault> faults, int brokers, int rate, PrintWriter err) {
    this.seed = seed;
    this.faults = faults;
    this.brokers = brokers;
    this.rate = rate;
    this.err = err;
  }

  /** Runs to the end and returns the verdict. */
  Verdict run(Path home) throws Exception {
    say("Seed " + seed + "; the plan:");
    faults.forEach(fault -> say("  " + fault));
    try (Workspace workspace = Workspace.create("korpse-chaos-")) {
      say("Starting " + brokers + " brokers and Flink");
      ChaosCluster cluster =
          ChaosCluster.start(workspace, Classpath.of(home.resolve("target")), brokers);
      String bootstrapServers = cluster.kafka().bootstrapServers();
      try (Admin admin = cluster.kafka().admin();
          NumberWriter writer =
              new NumberWriter(
                  bootstrapServers, ChaosCluster.ORIGINAL, ChaosCluster.PARTITIONS, rate)) {
        GroupWatch group = new GroupWatch(admin, ChaosCluster.GROUP, originals());
        long start = System.nanoTime();
        for (Fault fault : faults) {
          lookUntil(group, start + fault.atMillis() * 1_000_000);
          happen(cluster, fault, start);
        }
        long[] written = writer.stop();
        say("Written; waiting for the copy");
        Await.until("the end of the copy", TIME_TO_CATCH_UP, group::atEnd);
        stepsBack = group.stepsBack();
        cluster.stop();
        CopyReader.read(
            bootstrapServers,
            ChaosCluster.COPY,
            ChaosCluster.PARTITIONS,
            verdict,
            TIME_TO_CATCH_UP);
        verdict.expect(written);
      }
    }
    return verdict;
  }

  private void happen(ChaosCluster cluster, Fault fault, long start) throws InterruptedException {
    long began = System.nanoTime();
    String target = cluster.inject(fault);
    cluster.awaitRecovery();
    Happened entry =
        new Happened(
            fault, target, (began - start) / 1_000_000, (System.nanoTime() - began) / 1_000_000);
    happened.add(entry);
    say(
        String.format(
            Locale.ROOT,
            "%6.1f s  %-18s %-16s recovered after %.1f s",
            entry.atMillis() / 1e3,
            fault.kind(),
            target,
            entry.recoveryMillis() / 1e3));
  }

  private static void lookUntil(GroupWatch group, long nanoTime) throws InterruptedException {
    do {
      group.look();
      Thread.sleep(LOOK_MILLIS);
    } while (System.nanoTime() - nanoTime < 0);
  }

  private static List<TopicPartition> originals() {
    return IntStream.range(0, ChaosCluster.PARTITIONS)
        .mapToObj(partition -> new TopicPartition(ChaosCluster.ORIGINAL, partition))
        .toList();
  }

  /** What happened, in the order in which it did. */
  List<Happened> happened() {
    return List.copyOf(happened);
  }

  /** Prints the result, and writes it as JSON when asked. */
  void report(PrintWriter out, Optional<Path> json) throws IOException {
    verdict.details().forEach(out::println);
    out.printf(
        Locale.ROOT,
        "seed %d: %d faults, %d records, lost %d, doubled %d, reordered %d, corrupt %d,"
            + " commits back %d%n",
        seed,
        happened.size(),
        verdict.records(),
        verdict.lost(),
        verdict.doubled(),
        verdict.reordered(),
        verdict.corrupt(),
        stepsBack);
    out.flush();
    if (json.isPresent()) {
      ObjectMapper mapper = new ObjectMapper();
      ObjectNode node = mapper.createObjectNode();
      node.put("seed", seed);
      ArrayNode list = node.putArray("faults");
      for (Happened entry : happened) {
        ObjectNode fault = list.addObject();
        fault.put("kind", entry.fault().kind().toString());
        fault.put("target", entry.target());
        fault.put("time", entry.atMillis() / 1e3);
        fault.put("recovery", entry.recoveryMillis() / 1e3);
      }
      node.put("records", verdict.records());
      node.put("lost", verdict.lost());
      node.put("doubled", verdict.doubled());
      node.put("reordered", verdict.reordered());
      node.put("corrupt", verdict.corrupt());
      node.put("commitsBack", stepsBack);
      Files.writeString(
          json.get(), mapper.writerWithDefaultPrettyPrinter().writeValueAsString(node) + "\n");
    }
  }

  private void say(String line) {
    err.println(line);
    err.flush();
  }
}
