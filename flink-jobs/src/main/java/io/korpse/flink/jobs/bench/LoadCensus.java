package io.korpse.flink.jobs.bench;

import io.korpse.flink.jobs.local.Census;
import java.util.ArrayList;
import java.util.List;

/**
 * What lives in this JVM in the course of a run: heap after a collection, threads and clients. What
 * comes before a quarter of the records is start-up; the second quarter is compared with the last.
 */
final class LoadCensus {

  private final List<Double> early = new ArrayList<>();
  private final List<Double> late = new ArrayList<>();
  private final double bufferBytes;
  private double peak;
  private int samples;
  private Census first;
  private Census last;

  /**
   * A census without samples.
   *
   * @param bufferBytes heap that the readers' buffers may fill: a reader that was caught up in the
   *     second quarter and is behind in the last has that much more, and nothing has grown
   */
  LoadCensus(double bufferBytes) {
    this.bufferBytes = bufferBytes;
  }

  /**
   * Takes a sample.
   *
   * @param share of the records that has come, from 0 to 1
   */
  void sample(double share) {
    if (share >= 1) {
      return; // the job is at its end
    }
    double live = liveHeapBytes();
    samples++;
    peak = Math.max(peak, live);
    if (share >= 0.25 && share < 0.5) {
      early.add(live);
    } else if (share >= 0.75) {
      late.add(live);
    }
    if (share >= 0.25) {
      last = Census.take();
      first = first == null ? last : first;
    }
  }

  /** What is left after a collection. */
  private static double liveHeapBytes() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return (double) (runtime.totalMemory() - runtime.freeMemory());
  }

  Figures figures() {
    Figures figures = new Figures().put("samples", samples).put("liveHeapPeakBytes", peak);
    if (!early.isEmpty() && !late.isEmpty()) {
      double before = median(early);
      double after = median(late);
      figures
          .put("liveHeapEarlyBytes", before)
          .put("liveHeapLateBytes", after)
          .put("liveHeapGrowth", growth(before, after));
    }
    if (first != null) {
      figures
          .put("threads", last.threadCount())
          .put("threadsMore", last.threadCount() - first.threadCount())
          .put("clients", last.clients())
          .put("clientsMore", last.clients() - first.clients());
    }
    return figures;
  }

  /** How many times the late heap is what the early one is with full buffers. */
  double growth(double before, double after) {
    return after / (before + bufferBytes);
  }

  /**
   * What a job has left behind. What was closed may take a moment to end.
   *
   * @param seconds the longest such moment
   */
  static Figures left(double seconds) throws InterruptedException {
    Deadline patience = Deadline.inSeconds(seconds);
    Census after = Census.take();
    while ((after.threadCount() > 0 || after.clients() > 0) && !patience.over()) {
      patience.pause(100);
      after = Census.take();
    }
    if (after.threadCount() > 0) {
      System.err.println("Left behind: " + after);
    }
    return new Figures()
        .put("threadsLeft", after.threadCount())
        .put("clientsLeft", after.clients());
  }

  private static double median(List<Double> values) {
    return Statistics.of(values).median();
  }
}
