package io.korpse.flink.jobs.bench;

/** A partition (15 bits) and an offset (48 bits) in one long. */
final class Coordinates {

  private static final int OFFSET_BITS = 48;

  private Coordinates() {}

  static long of(int partition, long offset) {
    return ((long) partition << OFFSET_BITS) | offset;
  }

  static int partition(long coordinates) {
    return (int) (coordinates >>> OFFSET_BITS);
  }

  static long offset(long coordinates) {
    return coordinates & ((1L << OFFSET_BITS) - 1);
  }
}
