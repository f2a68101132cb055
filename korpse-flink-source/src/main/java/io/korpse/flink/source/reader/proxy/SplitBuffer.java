package io.korpse.flink.source.reader.proxy;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

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

  /** A split that gave so much since its last timestamp does not go by time any more. */
  static final long UNTIMED_BYTES = 64 * 1024;

  /** The {@link #hungrySince} of a split that got records since it was last kept out. */
  static final long NOT_HUNGRY = Long.MIN_VALUE;

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static final ConsumerRecord<byte[], byte[]>[] NO_RECORDS = new ConsumerRecord[0];

  /** The records of one poll, from {@link #cursor} on not handed over yet. */
  private static final class Chunk {
    private final ConsumerRecord<byte[], byte[]>[] records;
    private final Weights weights;
    private long nextOffset;
    private int nextEpoch;

    @SuppressWarnings({"unchecked", "rawtypes"})
    Chunk(
        List<ConsumerRecord<byte[], byte[]>> polled,
        Weights weights,
        long nextOffset,
        int nextEpoch) {
      this.records = polled.toArray(new ConsumerRecord[0]);
      this.weights = weights;
      this.nextOffset = nextOffset;
      this.nextEpoch = nextEpoch;
    }
  }

  private final TopicPartition partition;
  private final String splitId;
  private final PositionListener listener;
  private final EndListener endListener;
  private final SplitStats stats;
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
  private boolean headTimed;
  private long lastTime = NO_TIME;

  /** Bytes taken since the last record with a timestamp. */
  private long untimedBytes;

  /** Whether watermark alignment holds back even what is buffered. Owned by {@link PollProxy}. */
  boolean held;

  /** The place in the chooser's heap, -1 when not in it. Owned by the chooser. */
  int heapIndex = -1;

  /** When the chooser last served this split or found it ready. Owned by the chooser. */
  long servedNanos;

  /** Neighbours by when they were served. Owned by {@link ServiceQueue}. */
  @Nullable SplitBuffer servedBefore;

  @Nullable SplitBuffer servedAfter;

  /** Bytes that a round robin still owes this split. Owned by the chooser. */
  long deficit;

  /** Until when order may wait for this split since it ran empty. Owned by {@link OrderWait}. */
  long waitDeadline = OrderWait.NO_DEADLINE;

  /** Whether order waits for this split. Owned by {@link OrderWait}. */
  boolean waitedFor;

  /** Whether this split is in the admission window. Owned by {@link Admission}. */
  boolean admitted;

  /** Where a rest in the client may come from. Owned by {@link PausedRests}. */
  final List<PausedRests.Group> rests = new ArrayList<>(0);

  /** When this split was first kept out since it last got records. Owned by {@link Admission}. */
  long hungrySince = NOT_HUNGRY;

  /** Whether it brought nothing while it had a place in the window. Owned by {@link Admission}. */
  boolean quiet;

  /** Where the client was sent back to without an epoch; -1 when not. Of {@link ProxyConsumer}. */
  long seekedBackTo = -1;

  /** Whether the id of its topic was known when it was added. */
  final boolean knowsTopic;

  /** Whether this split is queued for the admission window. Owned by {@link Admission}. */
  boolean hungry;

  SplitBuffer(
      KorpseSplit split,
      PositionListener listener,
      EndListener endListener,
      SplitStats stats,
      RecordWeigher weigher) {
    this.partition = split.partition();
    this.splitId = split.splitId();
    this.listener = listener;
    this.endListener = endListener;
    this.stats = stats;
    this.weigher = weigher;
    this.pause = new PauseLedger.Entry(partition);
    stats.attach(pause);
    this.fetchOffset = split.position().offset();
    this.fetchEpoch = split.position().leaderEpoch();
    this.stopOffset = split.stopOffset();
    this.knowsTopic = !split.topicId().equals(Uuid.ZERO_UUID);
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

  /** Whether the next record has a timestamp. */
  boolean headIsTimed() {
    return headTimed;
  }

  /**
   * Whether its records have no timestamps: more than a few at its last known time, or all so far.
   */
  boolean isUntimed() {
    return untimedBytes >= UNTIMED_BYTES;
  }

  /** Whether the next record has no place in the order of time. */
  boolean takesTurns() {
    return records > 0 && !headTimed && isUntimed();
  }

  /** A split without timestamps is taken to be where the others are. */
  void assumeTime(long time) {
    lastTime = Math.max(lastTime, time);
    if (!headTimed) {
      headTime = lastTime;
    }
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

  /** Whether the broker had no more of this split when it was last heard of. */
  boolean isCaughtUp() {
    return end >= 0 && knownLag() == 0;
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
    Weights weights = Weights.of(polled, weigher);
    long added = weights.total();
    boolean wasEmpty = records == 0;
    if (wasEmpty) {
      chunks.clear();
      cursor = 0;
      positionPending = false;
    }
    chunks.addLast(new Chunk(polled, weights, nextOffset, nextEpoch));
    records += polled.size();
    bytes += added;
    stats.read(polled.size(), added);
    stats.buffered(records, bytes);
    if (wasEmpty) {
      readHeadTime();
    }
    return added;
  }

  private void appendPosition() {
    if (records > 0) {
      Chunk last = chunks.peekLast();
      last.nextOffset = fetchOffset;
      last.nextEpoch = fetchEpoch;
    } else {
      positionPending = true;
    }
  }

  private void readHeadTime() {
    long time = chunks.peekFirst().records[cursor].timestamp();
    headTimed = time >= 0;
    headTime = headTimed ? time : lastTime;
  }

  /**
   * Moves the next run into a batch: records of one poll up to a time, until the batch or the
   * allowance is full, at least one; or only the position, when that moved without a record.
   *
   * <p>Looks at few of the records, since each look is likely to miss the cache: the end of the run
   * is searched by timestamp, and what the records weigh is remembered from when they came.
   *
   * @return the bytes taken
   */
  long take(HandoverBatch batch, long untilTime, long allowance) {
    positionPending = false;
    if (records == 0) {
      batch.add(this, NO_RECORDS, 0, 0, 0, fetchOffset, fetchEpoch);
      return 0;
    }
    Chunk chunk = chunks.peekFirst();
    ConsumerRecord<byte[], byte[]>[] list = chunk.records;
    int from = cursor;
    int left = list.length - from;
    int most = Math.max(1, Math.min(left, batch.roomRecords()));
    long room = Math.min(allowance, batch.roomBytes());
    int to = runEnd(list, from, chunk.weights.upTo(from, from + most, room), untilTime);
    boolean whole = to == list.length;
    long taken = chunk.weights.between(from, to);
    ConsumerRecord<byte[], byte[]> last = list[to - 1];
    observeTime(last.timestamp(), taken);
    batch.add(
        this,
        list,
        from,
        to,
        taken,
        whole ? chunk.nextOffset : last.offset() + 1,
        whole ? chunk.nextEpoch : last.leaderEpoch().orElse(Position.NO_EPOCH));
    if (whole) {
      chunks.removeFirst();
      cursor = 0;
    } else {
      cursor = to;
    }
    records -= to - from;
    bytes -= taken;
    handedRecords += to - from;
    handedBytes += taken;
    stats.buffered(records, bytes);
    if (records > 0) {
      readHeadTime();
    }
    return taken;
  }

  /** A run of so many bytes was taken, whose last record has this timestamp. */
  private void observeTime(long timestamp, long taken) {
    if (timestamp >= 0) {
      lastTime = timestamp;
      untimedBytes = 0;
    } else if (headTimed) {
      lastTime = headTime;
      untimedBytes = 0;
    } else {
      untimedBytes = lastTime == NO_TIME ? UNTIMED_BYTES : untimedBytes + taken;
    }
  }

  /** The first place after {@code from} and before {@code limit} of a record later than a time. */
  private static int runEnd(
      ConsumerRecord<byte[], byte[]>[] list, int from, int limit, long untilTime) {
    if (untilTime == Long.MAX_VALUE) {
      return limit;
    }
    int in = from;
    int step = 1;
    while (in + step < limit && list[in + step].timestamp() <= untilTime) {
      in += step;
      step *= 2;
    }
    int out = Math.min(limit, in + step);
    while (in + 1 < out) {
      int middle = (in + out) >>> 1;
      if (list[middle].timestamp() <= untilTime) {
        in = middle;
      } else {
        out = middle;
      }
    }
    return out;
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
    stats.buffered(0, 0);
    return freed;
  }

  @Override
  public String toString() {
    return splitId + "[" + records + " records, " + bytes + " B, next " + fetchOffset + "]";
  }
}
