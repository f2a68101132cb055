package io.korpse.flink.source.reader.proxy;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import org.apache.kafka.common.TopicPartition;

/** The log of one simulated partition, its leader and the history of its leader epochs. */
final class SimPartition {

  /** What one read gives: whole batches, and the bytes that they and a cut one take. */
  record Read(List<SimBatch> batches, int bytes) {
    static final Read NOTHING = new Read(List.of(), 0);
  }

  /** Answer to a question for the end of an epoch; -1 for an epoch that never was. */
  record EpochEnd(int epoch, long endOffset) {
    static final EpochEnd UNDEFINED = new EpochEnd(-1, -1);
  }

  /** Value of {@link #leader()} when there is none. */
  static final int NO_LEADER = -1;

  private static final int BATCH_OVERHEAD = 61;

  private final TopicPartition id;
  private final List<SimBatch> batches = new ArrayList<>();
  private final NavigableMap<Integer, Long> epochStarts = new TreeMap<>();
  private int leader;
  private int epoch;
  private long logStart;
  private long end;
  private long openTransaction = -1;

  SimPartition(TopicPartition id, int leader) {
    this.id = id;
    this.leader = leader;
    epochStarts.put(0, 0L);
  }

  TopicPartition id() {
    return id;
  }

  int leader() {
    return leader;
  }

  int epoch() {
    return epoch;
  }

  long logStart() {
    return logStart;
  }

  /** The high watermark. */
  long end() {
    return end;
  }

  /** First offset of an open transaction, or the high watermark. */
  long lastStable() {
    return openTransaction < 0 ? end : openTransaction;
  }

  void elect(int newLeader) {
    leader = newLeader;
    epoch++;
    epochStarts.put(epoch, end);
  }

  /** Appends one batch of records; {@code wireBytes} of 0 means that they are not compressed. */
  SimBatch append(SimBatch.Kind kind, List<SimRecord> records, int wireBytes) {
    List<SimRecord> placed = new ArrayList<>(records.size());
    int size = BATCH_OVERHEAD;
    long firstTimestamp = records.get(0).timestamp();
    for (SimRecord record : records) {
      size += record.wireBytes(placed.size(), firstTimestamp);
      placed.add(record.at(end + placed.size()));
    }
    int wire = wireBytes == 0 ? size : wireBytes;
    SimBatch batch =
        new SimBatch(end, end + records.size() - 1, List.copyOf(placed), wire, epoch, kind);
    batches.add(batch);
    end = batch.nextOffset();
    return batch;
  }

  /** Appends the marker that ends a transaction, and closes the one that is open. */
  void appendMarker() {
    openTransaction = -1;
    append(SimBatch.Kind.CONTROL, List.of(SimRecord.of(0, 0)), 78);
  }

  /** Holds the last stable offset at the end of the log until the next marker. */
  void openTransaction() {
    if (openTransaction < 0) {
      openTransaction = end;
    }
  }

  /** Retention: removes whole batches below an offset and moves the log start to it. */
  void deleteBefore(long offset) {
    logStart = Math.max(logStart, Math.min(offset, end));
    batches.removeIf(batch -> batch.lastOffset() < logStart);
  }

  /** Unclean leader election: what is at and after an offset is gone, under a new epoch. */
  void truncateTo(long offset, int newLeader) {
    batches.removeIf(batch -> batch.lastOffset() >= offset);
    end = batches.isEmpty() ? Math.min(end, offset) : batches.get(batches.size() - 1).nextOffset();
    logStart = Math.min(logStart, end);
    openTransaction = -1;
    epochStarts.values().removeIf(start -> start > end);
    elect(newLeader);
  }

  /** Compaction: keeps only the records whose offset the predicate accepts. */
  void compact(LongPredicate keep) {
    batches.replaceAll(
        batch ->
            new SimBatch(
                batch.baseOffset(),
                batch.lastOffset(),
                batch.records().stream().filter(record -> keep.test(record.offset())).toList(),
                batch.wireBytes(),
                batch.leaderEpoch(),
                batch.kind()));
  }

  /**
   * Reads as a broker does: from the batch that holds the offset, cut at {@code maxBytes} in the
   * middle of a batch; nothing when even the first batch is longer, unless {@code atLeastOne}.
   */
  Read read(long offset, int maxBytes, boolean atLeastOne, long visibleEnd) {
    int index = indexOf(offset);
    if (index == batches.size() || batches.get(index).nextOffset() > visibleEnd) {
      return Read.NOTHING;
    }
    int first = batches.get(index).wireBytes();
    if (first > maxBytes && !atLeastOne) {
      return Read.NOTHING;
    }
    int limit = Math.max(maxBytes, first);
    List<SimBatch> found = new ArrayList<>();
    int bytes = 0;
    for (; index < batches.size() && batches.get(index).nextOffset() <= visibleEnd; index++) {
      SimBatch batch = batches.get(index);
      if (bytes + batch.wireBytes() > limit) {
        return new Read(found, limit);
      }
      found.add(batch);
      bytes += batch.wireBytes();
    }
    return new Read(found, bytes);
  }

  /** Where an epoch ends, as OffsetsForLeaderEpoch answers. */
  EpochEnd epochEnd(int requested) {
    if (requested > epoch) {
      return EpochEnd.UNDEFINED;
    }
    Integer known = epochStarts.floorKey(requested);
    Integer next = epochStarts.higherKey(requested);
    if (known == null) {
      return EpochEnd.UNDEFINED;
    }
    return new EpochEnd(known, next == null ? end : epochStarts.get(next));
  }

  /** All records that a consumer of this isolation level must see from an offset on. */
  List<SimRecord> visibleFrom(long offset, boolean committedOnly) {
    List<SimRecord> visible = new ArrayList<>();
    long visibleEnd = committedOnly ? lastStable() : end;
    for (SimBatch batch : batches) {
      boolean hidden =
          batch.kind() == SimBatch.Kind.CONTROL
              || (committedOnly && batch.kind() == SimBatch.Kind.ABORTED);
      if (hidden || batch.nextOffset() > visibleEnd) {
        continue;
      }
      batch.records().stream().filter(record -> record.offset() >= offset).forEach(visible::add);
    }
    return visible;
  }

  private int indexOf(long offset) {
    int low = 0;
    int high = batches.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (batches.get(middle).lastOffset() < offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
