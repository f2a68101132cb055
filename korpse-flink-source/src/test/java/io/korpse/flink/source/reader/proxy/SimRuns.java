package io.korpse.flink.source.reader.proxy;

import java.util.stream.LongStream;

/**
 * Runs seeds in a JVM of their own and prints a line for each: the seed, the digest of its run, the
 * records that came out and, when an invariant broke, what did not hold.
 */
final class SimRuns {

  private SimRuns() {}

  /** Takes the first seed and the one after the last. */
  public static void main(String[] args) {
    LongStream.range(Long.parseLong(args[0]), Long.parseLong(args[1]))
        .parallel()
        .mapToObj(SimRuns::run)
        .forEachOrdered(System.out::println);
  }

  private static String run(long seed) {
    ProxySimulation simulation = new ProxySimulation(SimSettings.of(seed));
    String end = "";
    try {
      simulation.run();
    } catch (AssertionError e) {
      end = e.getMessage().lines().findFirst().orElse("");
    }
    return (seed
            + " "
            + Long.toHexString(simulation.digest())
            + " "
            + simulation.emitted()
            + " "
            + end)
        .strip();
  }
}
