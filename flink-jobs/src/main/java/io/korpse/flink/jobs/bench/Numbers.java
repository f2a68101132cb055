package io.korpse.flink.jobs.bench;

import java.util.Locale;

/** How figures are printed: grouped when large, four significant places when small. */
final class Numbers {

  private Numbers() {}

  static String text(double value) {
    double size = Math.abs(value);
    if (size >= 1000 || (value == Math.rint(value) && size < 1e15)) {
      return String.format(Locale.ROOT, "%,.0f", value);
    }
    return String.format(Locale.ROOT, size >= 100 ? "%.1f" : size >= 1 ? "%.2f" : "%.4f", value);
  }
}
