package io.korpse.flink.source.reader.proxy;

import io.korpse.flink.source.split.KorpseSplit;
import java.util.ArrayDeque;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * What was fetched of one split and not yet handed over, and how far fetching and handing over are.
 *
 * <p>Confined to the fetcher thread, but for {@link #splitId()} and {@link #listener()}, which
 * never change.
 *
 * <p>Holds the lists that polls returned, as they came. Each remembers the position after it, which
 * lies beyond its last record when control records or gaps follow: the run that hands over a list's
 * last record carries that position.
 */
final class SplitBuffer {

  /** The time of a split whose records carried no timestamp yet. */
  static final long NO_TIME = Long.MIN_VALUE;

  private record Chunk(
      List<ConsumerRecord<byte[], byte[]>> records, long nextOffset, int nextEpoch) {}

  private final TopicPartition partition;
  private final String splitId;
  private final PositionListener listener;
  private final EndListener endListener;
  private final RecordWeigher weigher;
  private final ArrayDeque<Chunk> chunks = new ArrayDeque<>();
  final PauseLedger.Entry pause;

  private int cursor;
  private int records;
  private long bytes;
  private int handedRecords;
  private long handedBytes;
  private boolean positionPending;

  private long fetchOffset;
  private int fetchEpoch;
  private boolean epochTrusted;
  private long stopOffset;
  private long end = -1;
  private boolean fetchFinished;

  private long headTime = NO_TIME;
  private long lastTime = NO_TIME;

  /** Whether watermark alignment holds back even what is buffered. Owned by {@link PollProxy}. */
  boolean held;

  /** The place in the chooser's heap, -1 when not in it. Owned by the chooser. */
  int heapIndex = -1;

  /** When the chooser last served this split or found it ready. Owned by the chooser. */
  long servedNanos;

  /** Bytes that a round robin still owes this split. Owned by the chooser. */
  long deficit;

  /** Until when order may wait for this split since it ran empty. Owned by {@link OrderWait}. */
  long waitDeadline = OrderWait.NO_DEADLINE;

  /** Whether order waits for this split. Owned by {@link OrderWait}. */
  boolean waitedFor;

  /** Whether this split is in the admission window. Owned by {@link Admission}. */
  boolean admitted;

  /** The splits that were paused together with this one. Owned by {@link ProxyConsumer}. */
  ProxyConsumer.PausedGroup pausedGroup;

  /** Whether this split is queued for the admission window. Owned by {@link Admission}. */
  boolean hungry;

  SplitBuffer(
      KorpseSplit split,
      PositionListener listener,
      EndListener endListener,
      RecordWeigher weigher) {
    this.partition = split.partition();
    this.splitId = split.splitId();
    this.listener = listener;
    this.endListener = endListener;
    this.weigher = weigher;
    this.pause = new PauseLedger.Entry(partition);
    this.fetchOffset = split.position().offset();
    this.fetchEpoch = split.position().leaderEpoch();
    this.stopOffset = split.stopOffset();
  }

  TopicPartition partition() {
    return partition;
  }

  String splitId() {
    return splitId;
  }

  PositionListener listener() {
    return listener;
  }

  EndListener endListener() {
    return endListener;
  }

  /** Next offset that the consumer will return. */
  long fetchOffset() {
    return fetchOffset;
  }

  int fetchEpoch() {
    return fetchEpoch;
  }

  /**
   * Whether the epoch came with data of this session. An epoch from elsewhere may lie above the
   * partition's current one, and a seek with such an epoch stalls the partition without an error.
   */
  boolean trustsEpoch() {
    return epochTrusted;
  }

  /** The epoch is known to be at most the partition's current one. */
  void trustEpoch() {
    epochTrusted = fetchEpoch >= 0;
  }

  long stopOffset() {
    return stopOffset;
  }

  /** Sets an earlier end; returns whether fetching has reached it already. */
  boolean limitTo(long newStopOffset) {
    stopOffset = Math.min(stopOffset, newStopOffset);
    return fetchOffset >= stopOffset;
  }

  /** Continues at another offset, as after data loss; what is buffered stays. */
  void moveFetchTo(long offset, int epoch) {
    boolean moved = offset != fetchOffset;
    fetchOffset = offset;
    fetchEpoch = epoch;
    epochTrusted = false;
    if (moved) {
      appendPosition();
    }
  }

  /** Buffered records, not counting what is handed over. */
  int records() {
    return records;
  }

  /** Buffered bytes, not counting what is handed over. */
  long bytes() {
    return bytes;
  }

  /** Bytes buffered and handed over. */
  long heldBytes() {
    return bytes + handedBytes;
  }

  int heldRecords() {
    return records + handedRecords;
  }

  boolean isEmpty() {
    return records == 0;
  }

  /** Whether a run can be taken: of records, or of a position that moved without any. */
  boolean hasRun() {
    return records > 0 || positionPending;
  }

  /** Whether everything before the stop offset was fetched and taken. */
  boolean isDrained() {
    return fetchFinished && !hasRun();
  }

  boolean fetchFinished() {
    return fetchFinished;
  }

  void finishFetching() {
    fetchFinished = true;
  }

  /** Timestamp of the next record; when it has none, the last time that was known. */
  long headTime() {
    return headTime;
  }

  /** Timestamp of the last record that was taken, or {@link #NO_TIME}. */
  long lastTime() {
    return lastTime;
  }

  /** The log end as far as known, -1 when unknown. */
  long end() {
    return end;
  }

  void observeEnd(long newEnd) {
    end = newEnd;
  }

  /** Records that the broker is known to hold for this split and the consumer has not returned. */
  long knownLag() {
    long known = end < 0 && stopOffset != KorpseSplit.NO_STOP_OFFSET ? stopOffset : end;
    return Math.max(0, Math.min(known, stopOffset) - fetchOffset);
  }

  /**
   * Adds what a poll returned.
   *
   * @return the bytes added
   */
  long append(List<ConsumerRecord<byte[], byte[]>> polled, long nextOffset, int nextEpoch) {
    fetchOffset = nextOffset;
    fetchEpoch = nextEpoch;
    epochTrusted = nextEpoch >= 0;
    if (polled.isEmpty()) {
      appendPosition();
      return 0;
    }
    long added = 0;
    for (int i = 0; i < polled.size(); i++) {
      added += weigher.weigh(polled.get(i));
    }
    boolean wasEmpty = records == 0;
    if (wasEmpty) {
      chunks.clear();
      cursor = 0;
      positionPending = false;
    }
    chunks.addLast(new Chunk(polled, nextOffset, nextEpoch));
    records += polled.size();
    bytes += added;
    if (wasEmpty) {
      readHeadTime();
    }
    return added;
  }

  private void appendPosition() {
    if (records > 0) {
      Chunk last = chunks.removeLast();
      chunks.addLast(new Chunk(last.records, fetchOffset, fetchEpoch));
    } else {
      positionPending = true;
    }
  }

  private void readHeadTime() {
    long time = chunks.peekFirst().records.get(cursor).timestamp();
    headTime = time >= 0 ? time : lastTime;
  }

  /**
   * Moves the next run into a batch: records up to a time, until the batch or the allowance is
   * full, at least one.
   *
   * @return the bytes taken
   */
  long take(HandoverBatch batch, long untilTime, long allowance) {
    long taken = 0;
    int count = 0;
    long nextOffset = fetchOffset;
    int nextEpoch = fetchEpoch;
    while (records > 0) {
      Chunk chunk = chunks.peekFirst();
      List<ConsumerRecord<byte[], byte[]>> list = chunk.records;
      int size = list.size();
      int i = cursor;
      boolean stop = false;
      long time = lastTime;
      while (i < size) {
        ConsumerRecord<byte[], byte[]> next = list.get(i);
        long stamp = next.timestamp();
        if (count > 0 && (stamp > untilTime || taken >= allowance || batch.isFull())) {
          stop = true;
          break;
        }
        int weight = weigher.weigh(next);
        batch.add(next, weight);
        taken += weight;
        count++;
        i++;
        if (stamp >= 0) {
          time = stamp;
        }
      }
      records -= i - cursor;
      cursor = i;
      lastTime = time;
      if (i == size) {
        nextOffset = chunk.nextOffset;
        nextEpoch = chunk.nextEpoch;
        chunks.removeFirst();
        cursor = 0;
      } else if (i > 0) {
        ConsumerRecord<byte[], byte[]> last = list.get(i - 1);
        nextOffset = last.offset() + 1;
        nextEpoch = last.leaderEpoch().orElse(-1);
      }
      if (stop) {
        break;
      }
    }
    bytes -= taken;
    handedBytes += taken;
    handedRecords += count;
    positionPending = false;
    if (records > 0) {
      readHeadTime();
    }
    batch.endRun(this, nextOffset, nextEpoch, count, taken);
    return taken;
  }

  /** Takes back what was handed over and is now emitted. */
  void returned(int returnedRecords, long returnedBytes) {
    handedRecords -= returnedRecords;
    handedBytes -= returnedBytes;
  }

  /**
   * Forgets what is buffered.
   *
   * @return the bytes that this frees
   */
  long discard() {
    long freed = bytes;
    chunks.clear();
    cursor = 0;
    records = 0;
    bytes = 0;
    positionPending = false;
    return freed;
  }

  @Override
  public String toString() {
    return splitId + "[" + records + " records, " + bytes + " B, next " + fetchOffset + "]";
  }
}
