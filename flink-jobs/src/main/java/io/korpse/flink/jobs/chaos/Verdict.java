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

  /** A partition number beyond this cannot be true. */
  private static final int MOST_PARTITIONS = 1_000;

  private final List<BitSet> seen = new ArrayList<>();
  private final List<Long> highest = new ArrayList<>();
  private final List<String> details = new ArrayList<>();
  private long records;
  private long lost;
  private long doubled;
  private long reordered;
  private long corrupt;

  /**
   * Takes the next record of the copy.
   *
   * @param place where it was found, for people
   * @param value its bytes
   */
  void take(String place, byte[] value) {
    records++;
    NumberedRecord record = NumberedRecord.decode(value).orElse(null);
    if (record == null || record.partition() < 0 || record.partition() >= MOST_PARTITIONS) {
      corrupt++;
      name("corrupt", place);
      return;
    }
    int sequence = Math.toIntExact(record.sequence());
    growTo(record.partition());
    BitSet numbers = seen.get(record.partition());
    if (numbers.get(sequence)) {
      doubled++;
      name("doubled", record + " at " + place);
      return;
    }
    numbers.set(sequence);
    if (record.sequence() < highest.get(record.partition())) {
      reordered++;
      name("reordered", record + " at " + place);
    }
    highest.set(record.partition(), Math.max(highest.get(record.partition()), record.sequence()));
  }

  private void growTo(int partition) {
    while (seen.size() <= partition) {
      seen.add(new BitSet());
      highest.add(-1L);
    }
  }

  /** Says how many records each partition of the original has; to be called once, at the end. */
  void expect(long[] written) {
    for (int partition = 0; partition < written.length; partition++) {
      growTo(partition);
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
