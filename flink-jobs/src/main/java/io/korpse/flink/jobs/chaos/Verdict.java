package io.korpse.flink.jobs.chaos;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * What is wrong with a copy, as its records come in. Keeps one bit per record and the coordinates
 * of the first few of each kind of fault. Not thread-safe.
 */
final class Verdict {

  private static final int NAMED = 20;

  private final List<BitSet> seen = new ArrayList<>();
  private final long[] highest;
  private final List<String> details = new ArrayList<>();
  private long records;
  private long lost;
  private long doubled;
  private long reordered;
  private long corrupt;

  Verdict(int partitions) {
    highest = new long[partitions];
    for (int i = 0; i < partitions; i++) {
      seen.add(new BitSet());
      highest[i] = -1;
    }
  }

  /**
   * Takes the next record of the copy.
   *
   * @param place where it was found, for people
   * @param value its bytes
   */
  void take(String place, byte[] value) {
    records++;
    NumberedRecord record = NumberedRecord.decode(value).orElse(null);
    if (record == null || record.partition() < 0 || record.partition() >= highest.length) {
      corrupt++;
      name("corrupt", place);
      return;
    }
    int sequence = Math.toIntExact(record.sequence());
    BitSet numbers = seen.get(record.partition());
    if (numbers.get(sequence)) {
      doubled++;
      name("doubled", record + " at " + place);
      return;
    }
    numbers.set(sequence);
    if (record.sequence() < highest[record.partition()]) {
      reordered++;
      name("reordered", record + " at " + place);
    }
    highest[record.partition()] = Math.max(highest[record.partition()], record.sequence());
  }

  /** Says how many records each partition of the original has; to be called once, at the end. */
  void expect(long[] written) {
    for (int partition = 0; partition < written.length; partition++) {
      int end = Math.toIntExact(written[partition]);
      BitSet numbers = seen.get(partition);
      for (int gap = numbers.nextClearBit(0); gap < end; gap = numbers.nextClearBit(gap + 1)) {
        lost++;
        name("lost", new NumberedRecord(partition, gap).toString());
      }
    }
  }

  long records() {
    return records;
  }

  long lost() {
    return lost;
  }

  long doubled() {
    return doubled;
  }

  long reordered() {
    return reordered;
  }

  long corrupt() {
    return corrupt;
  }

  boolean clean() {
    return lost + doubled + reordered + corrupt == 0;
  }

  /** The first faults, each with its coordinates. */
  List<String> details() {
    return List.copyOf(details);
  }

  private void name(String fault, String where) {
    if (details.size() < NAMED) {
      details.add(fault + ": " + where);
    }
  }
}
