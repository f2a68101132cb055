package io.korpse.flink.jobs.chaos;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What came of a run.
 *
 * @param seed of the plan
 * @param happened the faults, in the order in which they happened
 * @param verdict over the copy
 * @param commits over the group
 * @param frozen attempts of readers that were on TaskManagers when these were frozen
 */
record ChaosResult(
    long seed, List<Happened> happened, Verdict verdict, CommitAudit commits, Set<String> frozen) {

  /**
   * A fault that happened.
   *
   * @param fault the plan
   * @param target what it was done to
   * @param atMillis when, from the start of the load
   * @param recoveryMillis from the start of the fault until a checkpoint begun after its end was
   *     complete
   */
  record Happened(Fault fault, String target, long atMillis, long recoveryMillis) {}

  /**
   * Whether nothing was wrong; a commit that no checkpoint proves is, and one that went back,
   * unless it was a request of a frozen attempt that came too late.
   */
  boolean clean() {
    return verdict.clean()
        && commits.ahead() == 0
        && commits.untraced() == 0
        && commits.backWithoutExcuse(frozen) == 0;
  }

  /** Prints what is wrong, and the counts. */
  void print(PrintWriter out) {
    verdict.details().forEach(out::println);
    if (!clean()) {
      commits.details().forEach(out::println);
    }
    out.printf(
        Locale.ROOT,
        "seed %d: %d faults, %d records, lost %d, doubled %d, reordered %d, corrupt %d;"
            + " commits: back %d, ahead %d, traced to their checkpoint %d, not traced %d%n",
        seed,
        happened.size(),
        verdict.records(),
        verdict.lost(),
        verdict.doubled(),
        verdict.reordered(),
        verdict.corrupt(),
        commits.back(),
        commits.ahead(),
        commits.traced(),
        commits.untraced());
    out.flush();
  }

  /** Writes the same as JSON. */
  void write(Path json) throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    ObjectNode node = mapper.createObjectNode();
    node.put("seed", seed);
    node.put("clean", clean());
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
    node.put("commitsBack", commits.back());
    node.put("commitsAhead", commits.ahead());
    node.put("commitsTraced", commits.traced());
    node.put("commitsUntraced", commits.untraced());
    Files.writeString(
        json, mapper.writerWithDefaultPrettyPrinter().writeValueAsString(node) + "\n");
  }
}
