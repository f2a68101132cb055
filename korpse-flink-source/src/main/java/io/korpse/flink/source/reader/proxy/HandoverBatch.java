package io.korpse.flink.source.reader.proxy;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import javax.annotation.Nullable;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Runs of records of several splits, in the order in which they are to be emitted.
 *
 * <p>Filled on the fetcher thread, read on the task thread, taken back on any thread and once only.
 *
 * <p>A run ends with the position after it, which is applied when the reader asks for the next run:
 * only then are all its records emitted. A run may hold no record: that is how a position moves
 * past control records, which never reach an emitter.
 */
public final class HandoverBatch implements RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> {

  private static final int FIRST_RUNS = 16;

  private final int maxRecords;
  private final long maxBytes;
  private final ReturnedBatches home;
  private final AtomicBoolean returned = new AtomicBoolean();

  private int size;
  private long bytes;

  private SplitBuffer[] runSplits = new SplitBuffer[FIRST_RUNS];
  private ConsumerRecord<byte[], byte[]>[][] runRecords;
  private int[] runStarts = new int[FIRST_RUNS];
  private int[] runEnds = new int[FIRST_RUNS];
  private long[] runOffsets = new long[FIRST_RUNS];
  private int[] runEpochs = new int[FIRST_RUNS];
  private long[] runBytes = new long[FIRST_RUNS];
  private int runs;
  private Set<String> finished = Set.of();

  /** Runs up to the last one that was given out of turn, because its split was held too long. */
  private int urgentRuns;

  /** Only where batches of several proxies are merged: where from, and how early each run is. */
  @Nullable private MergeLane lane;

  private long[] earliest;

  private ConsumerRecord<byte[], byte[]>[] current;
  private int run = -1;
  private int next;
  private int end;

  @SuppressWarnings({"unchecked", "rawtypes"})
  HandoverBatch(int maxRecords, long maxBytes, ReturnedBatches home) {
    this.maxRecords = maxRecords;
    this.maxBytes = maxBytes;
    this.home = home;
    this.runRecords = new ConsumerRecord[FIRST_RUNS][];
  }

  // ---- filling, fetcher thread

  /** Adds a run: a part of an array, of which this batch clears what it has given away. */
  void add(
      SplitBuffer split,
      ConsumerRecord<byte[], byte[]>[] records,
      int start,
      int stop,
      long weight,
      long nextOffset,
      int nextEpoch) {
    if (runs == runSplits.length) {
      runSplits = Arrays.copyOf(runSplits, runs * 2);
      runRecords = Arrays.copyOf(runRecords, runs * 2);
      runStarts = Arrays.copyOf(runStarts, runs * 2);
      runEnds = Arrays.copyOf(runEnds, runs * 2);
      runOffsets = Arrays.copyOf(runOffsets, runs * 2);
      runEpochs = Arrays.copyOf(runEpochs, runs * 2);
      runBytes = Arrays.copyOf(runBytes, runs * 2);
    }
    runSplits[runs] = split;
    runRecords[runs] = records;
    runStarts[runs] = start;
    runEnds[runs] = stop;
    runOffsets[runs] = nextOffset;
    runEpochs[runs] = nextEpoch;
    runBytes[runs] = weight;
    runs++;
    size += stop - start;
    bytes += weight;
  }

  int roomRecords() {
    return maxRecords - size;
  }

  long roomBytes() {
    return maxBytes - bytes;
  }

  /** Puts another record in the place of each, before the batch is handed over. Fetcher thread. */
  public void replaceRecords(UnaryOperator<ConsumerRecord<byte[], byte[]>> replacement) {
    for (int i = 0; i < runs; i++) {
      ConsumerRecord<byte[], byte[]>[] records = runRecords[i];
      for (int at = runStarts[i]; at < runEnds[i]; at++) {
        records[at] = replacement.apply(records[at]);
      }
    }
  }

  /** The run that was added last is out of turn. */
  void outOfTurn() {
    urgentRuns = runs;
  }

  /**
   * Nothing more is added, and another batch may be merged with this one.
   *
   * @param remaining the earliest time of what its lane still has
   */
  void seal(MergeLane from, long remaining) {
    lane = from;
    earliest = new long[runs + 1];
    earliest[runs] = remaining;
    long time = MergeLane.NOTHING;
    for (int i = runs - 1; i >= 0; i--) {
      if (runStarts[i] < runEnds[i]) {
        long head = timeOf(runRecords[i][runStarts[i]]);
        time = head == SplitBuffer.NO_TIME ? time : Math.min(time, head);
      }
      earliest[i] = i < urgentRuns ? SplitBuffer.NO_TIME : time;
    }
  }

  private static long timeOf(ConsumerRecord<byte[], byte[]> record) {
    return record.timestamp() < 0 ? SplitBuffer.NO_TIME : record.timestamp();
  }

  void finish(Set<String> splitIds) {
    finished = splitIds;
  }

  boolean isFull() {
    return size >= maxRecords || bytes >= maxBytes;
  }

  boolean isEmpty() {
    return runs == 0 && finished.isEmpty();
  }

  /** What keys, values and headers weigh, as far as they were kept. */
  public long payloadBytes() {
    return bytes() - (long) RecordWeigher.OVERHEAD * records();
  }

  int records() {
    return size;
  }

  long bytes() {
    return bytes;
  }

  // ---- reading, task thread

  @Override
  public String nextSplit() {
    if (run >= 0) {
      runSplits[run].listener().moveTo(runOffsets[run], runEpochs[run]);
    }
    if (++run >= runs) {
      run = runs - 1;
      applied();
      return null;
    }
    current = runRecords[run];
    next = runStarts[run];
    end = runEnds[run];
    return runSplits[run].splitId();
  }

  /** Guards against a second pass over the last run: its position was just applied. */
  private void applied() {
    next = end;
  }

  @Override
  public ConsumerRecord<byte[], byte[]> nextRecordFromSplit() {
    if (next == end) {
      return null;
    }
    ConsumerRecord<byte[], byte[]> record = current[next];
    current[next++] = null;
    return record;
  }

  // ---- merging, task thread

  /** The proxy that this is from; null where batches are not merged, and for an empty one. */
  @Nullable
  MergeLane lane() {
    return lane;
  }

  /** Goes on to the next record, past runs that are at their end; false when there is none. */
  boolean advance() {
    while (next == end) {
      if (nextSplit() == null) {
        return false;
      }
    }
    return true;
  }

  /** The split of the present run. */
  String split() {
    return runSplits[run].splitId();
  }

  /** The time of the next record, of which there is one. */
  long nextTime() {
    return timeOf(current[next]);
  }

  /** Whether the next record has a time, and with it a place in the order. */
  boolean nextIsTimed() {
    return nextTime() != SplitBuffer.NO_TIME;
  }

  /** The next record of the present run if it is not later than this, else null. */
  @Nullable
  ConsumerRecord<byte[], byte[]> nextUntil(long time) {
    if (next == end || timeOf(current[next]) > time) {
      return null;
    }
    ConsumerRecord<byte[], byte[]> record = current[next];
    current[next++] = null;
    return record;
  }

  /** The earliest time of all runs that have one, where the first was not begun. */
  long earliest() {
    return runs == 0 ? MergeLane.NOTHING : earliest[0];
  }

  /** The earliest time of the runs after the present one; no bound while one is out of turn. */
  long afterRun() {
    if (run < urgentRuns) {
      return SplitBuffer.NO_TIME;
    }
    return run + 1 < runs ? earliest[run + 1] : MergeLane.NOTHING;
  }

  /** The earliest time of what its lane had left. */
  long remaining() {
    return earliest[runs];
  }

  @Override
  public Set<String> finishedSplits() {
    return finished;
  }

  @Override
  public void recycle() {
    if (home != null && returned.compareAndSet(false, true)) {
      home.give(this);
    }
  }

  // ---- taking back

  /** Marks the batch as taken back without the task thread; returns whether it was not before. */
  boolean reclaim() {
    return returned.compareAndSet(false, true);
  }

  /** Tells each split what of it was emitted. Fetcher thread. */
  void settle() {
    for (int i = 0; i < runs; i++) {
      runSplits[i].returned(runEnds[i] - runStarts[i], runBytes[i]);
    }
  }

  int runs() {
    return runs;
  }

  long runOffset(int index) {
    return runOffsets[index];
  }

  int runRecords(int index) {
    return runEnds[index] - runStarts[index];
  }

  SplitBuffer runSplit(int index) {
    return runSplits[index];
  }
}
