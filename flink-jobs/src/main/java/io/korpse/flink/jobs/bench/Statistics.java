package io.korpse.flink.jobs.bench;

import java.util.Arrays;
import java.util.Collection;

/** Median, least and greatest of some values. */
record Statistics(double median, double min, double max, int count) {

  /**
   * @throws IllegalArgumentException if there are no values
   */
  static Statistics of(Collection<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    if (sorted.length == 0) {
      throw new IllegalArgumentException("No values.");
    }
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Statistics(median, sorted[0], sorted[sorted.length - 1], sorted.length);
  }

  /** The smallest sample that at least {@code fraction} of all samples do not exceed; 0 of none. */
  static double percentile(double[] samples, double fraction) {
    if (samples.length == 0) {
      return 0;
    }
    double[] sorted = samples.clone();
    Arrays.sort(sorted);
    int rank = (int) Math.ceil(fraction * sorted.length);
    return sorted[Math.max(0, Math.min(sorted.length, rank) - 1)];
  }
}
