package io.korpse.flink.jobs.bench;

import java.util.Arrays;

/** A growing list of doubles. Confined to one thread at a time. */
final class Samples {

  private double[] values = new double[1024];
  private int size;

  void add(double value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, 2 * size);
    }
    values[size++] = value;
  }

  int size() {
    return size;
  }

  double percentile(double fraction) {
    return Statistics.percentile(Arrays.copyOf(values, size), fraction);
  }
}
