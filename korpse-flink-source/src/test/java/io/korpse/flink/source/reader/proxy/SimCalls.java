package io.korpse.flink.source.reader.proxy;

/** Counts the calls to a {@link SimConsumer}. */
final class SimCalls {

  int polls;
  int emptyPolls;
  int wakeups;
  long records;
  int assigns;
  int seeks;
  int pauses;
  int resumes;

  /** Partitions that changed from paused to not paused or back. */
  int flips;

  /** Partitions that were paused or resumed although they were that already. */
  int redundantFlips;

  /** Single requests that {@code currentLag} made for an end that it did not know. */
  int endLookUps;
}
