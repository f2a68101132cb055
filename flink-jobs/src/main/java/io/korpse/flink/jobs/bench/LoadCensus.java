package io.korpse.flink.jobs.bench;

import io.korpse.flink.jobs.local.Census;
import java.util.ArrayList;
import java.util.List;

/**
 * What lives in this JVM in the course of a run: heap after a collection, threads and clients. What
 * comes before a quarter of the records is start-up; the second quarter is compared with the last.
 *
 * <p>What the readers' buffers hold is taken off the heap. It has a bound, and a reader that was
 * caught up early and is behind late holds more without anything having grown.
 */
final class LoadCensus {

  private final Phase early = new Phase();
  private final Phase late = new Phase();
  private double livePeak;
  private double heldPeak;
  private int samples;
  private Census first;
  private Census last;

  /** The samples of one quarter of the records. */
  private static final class Phase {

    private final List<Double> live = new ArrayList<>();
    private final List<Double> held = new ArrayList<>();
    private final List<Double> other = new ArrayList<>();

    void add(double liveBytes, double heldBytes) {
      live.add(liveBytes);
      held.add(heldBytes);
      other.add(liveBytes - heldBytes);
    }

    void put(Figures figures, String name) {
      figures
          .put("liveHeap" + name + "Bytes", median(live))
          .put("held" + name + "Bytes", median(held))
          .put("otherHeap" + name + "Bytes", median(other));
    }
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
    add(share, live, GaugeReporter.sum("KafkaSourceReader.heldBytes").orElse(0));
    if (share >= 0.25) {
      last = Census.take();
      first = first == null ? last : first;
    }
  }

  /**
   * Takes a sample of the heap.
   *
   * @param share of the records that has come, from 0 to 1
   * @param liveBytes what a collection has left
   * @param heldBytes how much of that the readers' buffers hold
   */
  void add(double share, double liveBytes, double heldBytes) {
    samples++;
    livePeak = Math.max(livePeak, liveBytes);
    heldPeak = Math.max(heldPeak, heldBytes);
    if (share >= 0.25 && share < 0.5) {
      early.add(liveBytes, heldBytes);
    } else if (share >= 0.75) {
      late.add(liveBytes, heldBytes);
    }
  }

  /** What is left after a collection. */
  private static double liveHeapBytes() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return (double) (runtime.totalMemory() - runtime.freeMemory());
  }

  Figures figures() {
    Figures figures =
        new Figures()
            .put("samples", samples)
            .put("liveHeapPeakBytes", livePeak)
            .put("heldPeakBytes", heldPeak);
    if (!early.live.isEmpty() && !late.live.isEmpty()) {
      early.put(figures, "Early");
      late.put(figures, "Late");
      double before = median(early.other);
      double after = median(late.other);
      // Else the buffers weigh more than they take, and a ratio would say nothing.
      if (before > 0 && after > 0) {
        figures.put("liveHeapGrowth", after / before);
      }
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
