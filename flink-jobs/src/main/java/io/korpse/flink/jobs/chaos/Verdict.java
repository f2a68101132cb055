package io.korpse.flink.jobs.chaos;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

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
   * @param copy of a record of the partition with the same number
   */
  void take(ConsumerRecord<byte[], byte[]> copy) {
    records++;
    String place = copy.topic() + "-" + copy.partition() + "@" + copy.offset();
    NumberedRecord record = NumberedRecord.decode(copy.value()).orElse(null);
    if (record == null || record.partition() < 0 || record.partition() >= MOST_PARTITIONS) {
      corrupt++;
      name("corrupt", place);
      return;
    }
    String differences = record.differences(copy);
    if (!differences.isEmpty()) {
      corrupt++;
      name("corrupt", record + " at " + place + differences);
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
        name("lost", partition + "@" + gap);
      }
    }
    for (int partition = 0; partition < seen.size(); partition++) {
      int end = partition < written.length ? Math.toIntExact(written[partition]) : 0;
      BitSet numbers = seen.get(partition);
      for (int more = numbers.nextSetBit(end); more >= 0; more = numbers.nextSetBit(more + 1)) {
        corrupt++;
        name("corrupt", partition + "@" + more + " was never written");
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
