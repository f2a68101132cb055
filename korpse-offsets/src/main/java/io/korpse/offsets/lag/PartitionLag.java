package io.korpse.offsets.lag;

import io.korpse.offsets.Position;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Clock;
import java.util.function.LongSupplier;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/**
 * What is known of one partition, and the lags that follow from it.
 *
 * <p>Thread-safe; {@code observe} methods neither lock nor allocate. Positions are read when a lag
 * is asked for, so a lag is as fresh as the log end that was seen last, whose age is {@link
 * #lagAgeMillis()}. Offsets are counted, so on a compacted topic and over control records the lag
 * is an upper bound of the records to come.
 */
public final class PartitionLag {

  private static final VarHandle TIMESTAMP;

  static {
    try {
      TIMESTAMP = MethodHandles.lookup().findVarHandle(PartitionLag.class, "timestamp", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Not observed yet. */
  static final long NONE = -1;

  /** An end that was seen so many milliseconds from now was seen by another clock. */
  private static final long FUTURE = 1_000;

  private final TopicPartition partition;
  private final LongSupplier position;
  private final LongSupplier wantedUntil;
  private final IsolationLevel isolation;
  private final long staleMillis;
  private final long trackedAt;
  private final Clock clock;
  private final Clock wallClock;
  private final LagWindow window;

  private volatile long end = NONE;
  private volatile long endAt = NONE;
  private volatile long highWatermark = NONE;
  private volatile long logStart = NONE;
  private volatile long committed = NONE;
  private volatile long timestamp = Long.MIN_VALUE;
  private volatile long skipped;
  private volatile LagStatus status = LagStatus.UNKNOWN;
  private volatile long uncommittedSince = NONE;

  // Of the tracker: what was asked and not answered yet, and whether the last answer was news.
  volatile boolean endAsked;
  volatile boolean startAsked;
  volatile boolean highWatermarkAsked;
  volatile boolean committedAsked;
  volatile Throwable endFailure;
  private volatile boolean isMoving;

  // Of the thread that fetches; the second is also read by the one that completes requests.
  private long fetchEnd = NONE;
  private volatile long fetchRoseAt;

  PartitionLag(
      TopicPartition partition,
      LongSupplier position,
      LongSupplier wantedUntil,
      IsolationLevel isolation,
      long staleMillis,
      LagWindow window,
      Clock clock,
      Clock wallClock) {
    this.partition = partition;
    this.position = position;
    this.wantedUntil = wantedUntil;
    this.isolation = isolation;
    this.staleMillis = staleMillis;
    this.window = window;
    this.clock = clock;
    this.wallClock = wallClock;
    this.trackedAt = clock.millis();
    this.fetchRoseAt = trackedAt;
  }

  /** The partition. */
  public TopicPartition partition() {
    return partition;
  }

  /**
   * The log end as a fetch saw it: the last stable offset when reading committed, else the high
   * watermark. By one thread, as often as the partition is polled; neither locks nor allocates.
   *
   * <p>A value that does not rise is no news. A consumer hands out records of a response that it
   * has kept while the partition was paused, together with the end of that time, and a broker does
   * not tell a consumer that only the last stable offset moved.
   *
   * @param millis now, by the clock that the tracker was built with
   */
  public void observeEnd(long observedEnd, long millis) {
    if (observedEnd <= fetchEnd) {
      fetchEnd = observedEnd;
      return;
    }
    // A consumer fetches a partition anew only when all that it had of it was taken. So this end
    // was seen after the one before it was handed out, and how long after cannot be told.
    long seenAfter = fetchRoseAt;
    fetchEnd = observedEnd;
    fetchRoseAt = millis;
    if (observedEnd > end) {
      isMoving = true;
      end = observedEnd;
      endAt = Math.max(endAt, seenAfter);
    }
  }

  /** As {@link #observeEnd(long, long)}, now. */
  public void observeEnd(long observedEnd) {
    observeEnd(observedEnd, clock.millis());
  }

  /**
   * The log end as a broker told it on request. It counts as seen when the request was sent. A
   * smaller one than a fetch showed since then is older; else it says that the log was truncated.
   */
  void answerEnd(long answeredEnd, long sentAt) {
    if (answeredEnd < end && fetchRoseAt > sentAt) {
      return;
    }
    isMoving = end != NONE && answeredEnd != end;
    end = answeredEnd;
    endAt = sentAt;
  }

  /** Whether the end has to be asked for: sooner while it moves. */
  boolean isEndDue(long now, long intervalMillis) {
    long at = endAt;
    long wanted = isMoving ? intervalMillis / 2 : intervalMillis;
    // A tenth less, or a round that comes a moment early would leave the partition to the next.
    return !endAsked && (at == NONE || at - now > FUTURE || now - at >= wanted - wanted / 10);
  }

  /** What the group had committed before anybody observed a commit; -1 for nothing. */
  void answerCommitted(long answered) {
    if (committed == NONE) {
      committed = answered;
    }
  }

  /** The high watermark, when {@link #observeEnd} is not it. */
  void answerHighWatermark(long answered) {
    highWatermark = answered;
  }

  boolean knowsHighWatermark() {
    return highWatermark != NONE;
  }

  /** The first offset that the log still holds. */
  public void observeLogStart(long observedStart) {
    logStart = observedStart;
  }

  /** What the group has committed. */
  public void observeCommitted(Position observed) {
    committed = observed.offset();
  }

  /**
   * The Kafka timestamp of the last emitted record, in milliseconds since 1970. A record without a
   * timestamp (-1) says nothing: the one before it stays.
   */
  public void observeTimestamp(long recordTimestamp) {
    if (recordTimestamp >= 0) {
      // For each record that is emitted: a volatile store would be a fence each time.
      TIMESTAMP.setOpaque(this, recordTimestamp);
    }
  }

  /**
   * Records that were given up because they were not in the log any more. One thread at a time.
   *
   * @param records at least 0
   */
  @SuppressWarnings("NonAtomicVolatileUpdate")
  public void observeSkipped(long records) {
    skipped += records;
  }

  /** The next offset to emit; -1 when not known. */
  public long position() {
    return Math.max(NONE, position.getAsLong());
  }

  /** What the group has committed; -1 when not known. */
  public long committedOffset() {
    return committed;
  }

  /** The log end; -1 when not known. */
  public long end() {
    return end;
  }

  /** The high watermark, also when reading committed; -1 when not known. */
  public long highWatermark() {
    if (isolation != IsolationLevel.READ_COMMITTED) {
      return end;
    }
    long known = highWatermark;
    return known == NONE ? NONE : Math.max(known, end);
  }

  /**
   * Records between what is emitted and the log end, those lost to retention not counted. Unknown
   * when the end was not seen for so long that three questions have failed (15 s, or nine
   * intervals), as without a leader: what was known of it may no longer be true.
   */
  public LagValue recordsLag() {
    return lag(position(), end);
  }

  /** As {@link #recordsLag()} to the high watermark, also when reading committed. */
  public LagValue recordsLagToHighWatermark() {
    return lag(position(), highWatermark());
  }

  /** Records between what the group has committed and the log end. */
  public LagValue committedLag() {
    return lag(committed, end);
  }

  private LagValue lag(long from, long to) {
    return isStale() ? LagValue.unknown() : lagAsLastSeen(from, to);
  }

  private LagValue lagAsLastSeen(long from, long to) {
    return from < 0 || to < 0 ? LagValue.unknown() : LagValue.of(to - Math.max(from, logStart));
  }

  /** Whether the end was not seen for so long that it tells no lag any more. */
  boolean isStale() {
    return clock.millis() - Math.max(endAt, trackedAt) > staleMillis;
  }

  /**
   * Milliseconds between the Kafka timestamp of the last emitted record and now; 0 when caught up;
   * unknown before the first record.
   */
  public LagValue timeLagMillis() {
    // Behind an end that is no longer seen is still behind; at its end it may be or not.
    LagValue records = lagAsLastSeen(position(), end);
    if (!records.isKnown() || records.value() == 0) {
      return recordsLag();
    }
    long last = timestamp;
    return last == Long.MIN_VALUE ? LagValue.unknown() : LagValue.of(wallClock.millis() - last);
  }

  /** Milliseconds since the log end was seen; -1 when it never was, or that cannot be told. */
  public long lagAgeMillis() {
    long at = endAt;
    long now = clock.millis();
    return at == NONE || at - now > FUTURE ? NONE : Math.max(0, now - at);
  }

  /**
   * Records that retention took before they were emitted: skipped ones and those now below. Only
   * those that were wanted, if the tracker was told.
   */
  public long recordsLost() {
    long at = position();
    return skipped + (at < 0 ? 0 : lostBefore(at));
  }

  /** Wanted records from a position on that retention has removed. */
  private long lostBefore(long at) {
    return Math.max(0, Math.min(logStart, wantedUntil.getAsLong()) - at);
  }

  /** Of the lost records those that were given up, which stay lost whatever the log start does. */
  long recordsSkipped() {
    return skipped;
  }

  /**
   * Milliseconds since the first record was emitted that the group does not cover; 0 if it covers
   * all. Good to about the tracker's interval; -1 while no position is known. Before the first
   * commit is known, the position at which the tracking began is taken as covered.
   */
  public long uncommittedAgeMillis() {
    long since = uncommittedSince;
    if (since == NONE) {
      return position() < 0 ? NONE : 0;
    }
    return Math.max(0, clock.millis() - since);
  }

  /** How the partition is doing, as of the tracker's last round. */
  public LagStatus status() {
    return status;
  }

  /** Takes a sample and judges; the tracker's thread. */
  void sample(long now) {
    long at = position();
    LagValue lag = lagAsLastSeen(at, end);
    if (at >= 0) {
      window.observe(now, at, committed);
      uncommittedSince = window.uncommittedSince();
    }
    if (at < 0 || !lag.isKnown()) {
      status = LagStatus.UNKNOWN;
      return;
    }
    LagStatus judged =
        window.judge(now, at, lag.value(), lostBefore(at) > 0, uncommittedAgeMillis());
    status = judged == LagStatus.OK && isStale() ? LagStatus.UNKNOWN : judged;
  }

  @Override
  public String toString() {
    return partition + " at " + position() + " of " + end + ", " + status;
  }
}
