package io.korpse.flink.source.reader.proxy;

import static io.korpse.flink.source.reader.proxy.SimViolation.check;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import java.util.Arrays;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/** What must come out of one split, and what has come out of it. */
final class SimSplit {

  /** How the timestamps of a partition run. */
  enum Clock {
    NOW,
    HOURS_BEHIND_AND_FAST,
    YEARS_AHEAD,
    NONE,
    JUMPING
  }

  private final TopicPartition partition;
  private Clock clock;
  private final long stopOffset;
  private long[] visible = new long[64];
  private int appended;
  private int emitted;
  private int count;
  private long position;
  private int epoch = Position.NO_EPOCH;
  private long lostBefore;
  private boolean finished;
  private boolean endedEarly;
  private boolean added;

  SimSplit(TopicPartition partition, Clock clock, long stopOffset) {
    this.partition = partition;
    this.clock = clock;
    this.stopOffset = stopOffset;
  }

  TopicPartition partition() {
    return partition;
  }

  String id() {
    return KorpseSplit.splitId(partition);
  }

  /** The split as a checkpoint would hold it now. */
  KorpseSplit split() {
    return new KorpseSplit(
        partition, new Position(position, epoch), stopOffset, Uuid.ZERO_UUID, false);
  }

  /** From now on none of its records has a timestamp. */
  void loseTimestamps() {
    clock = Clock.NONE;
  }

  /** Whether none of its records has a timestamp, or none of the last ones. */
  boolean isUntimed() {
    return clock == Clock.NONE;
  }

  long timestamp(long virtualMillis, Random random) {
    long base = 1_700_000_000_000L;
    return switch (clock) {
      case NOW -> base + virtualMillis;
      case HOURS_BEHIND_AND_FAST -> base - 7_200_000 + virtualMillis * 100;
      case YEARS_AHEAD -> base + 157_680_000_000L + virtualMillis;
      case NONE -> -1;
      case JUMPING -> base + virtualMillis + random.nextInt(60_000) - 30_000;
    };
  }

  /** The broker has a record that this split must emit if it lies before its end. */
  void appended(long offset) {
    if (appended == visible.length) {
      visible = Arrays.copyOf(visible, appended * 2);
    }
    visible[appended++] = offset;
  }

  /** Retention: what lies below and is not fetched yet may be missing. */
  void lost(long logStart) {
    lostBefore = Math.max(lostBefore, logStart);
  }

  void setAdded() {
    added = true;
  }

  boolean isAdded() {
    return added;
  }

  boolean isFinished() {
    return finished;
  }

  void endEarly() {
    endedEarly = true;
  }

  boolean isEndedEarly() {
    return endedEarly;
  }

  /** Records that came out of it. */
  int count() {
    return count;
  }

  long position() {
    return position;
  }

  /** The task thread emits a record of this split. */
  void emit(ConsumerRecord<byte[], byte[]> record) {
    long offset = record.offset();
    check(!finished, "I1", () -> id() + " emits " + offset + " after it was finished");
    check(
        record.partition() == partition.partition(),
        "I1",
        () -> id() + " emits a record of partition " + record.partition());
    check(
        offset < stopOffset, "I1", () -> id() + " emits " + offset + ", its end is " + stopOffset);
    check(offset >= position, "I1", () -> id() + " emits " + offset + " again, after " + position);
    while (emitted < appended && visible[emitted] < offset && visible[emitted] < lostBefore) {
      emitted++;
    }
    check(
        emitted < appended && visible[emitted] == offset,
        "I1",
        () -> id() + " emits " + offset + " instead of " + nextVisible());
    check(
        record.value() == null
            || record.value().length < Long.BYTES
            || java.nio.ByteBuffer.wrap(record.value()).getLong() == offset,
        "I1",
        () -> id() + " emits at " + offset + " the value of another record");
    emitted++;
    count++;
    position = offset + 1;
  }

  /** All that was handed over before this offset was emitted. */
  void moveTo(long offset, int newEpoch) {
    check(offset >= position, "I1", () -> id() + " moves back from " + position + " to " + offset);
    while (emitted < appended && visible[emitted] < offset && visible[emitted] < lostBefore) {
      emitted++;
    }
    check(
        emitted == appended || visible[emitted] >= offset,
        "I1",
        () -> id() + " moves to " + offset + " past " + nextVisible());
    check(offset <= stopOffset, "I1", () -> id() + " moves to " + offset + " past " + stopOffset);
    position = offset;
    epoch = newEpoch;
  }

  void finish() {
    check(!finished, "I1", () -> id() + " is reported as finished twice");
    finished = true;
    if (!endedEarly) {
      check(
          position >= stopOffset,
          "I1",
          () -> id() + " is finished at " + position + " before its end " + stopOffset);
    }
  }

  private String nextVisible() {
    return (emitted == appended ? "nothing" : Long.toString(visible[emitted]))
        + ", lost before "
        + lostBefore
        + ", end "
        + stopOffset;
  }

  /** Whether the broker has records that this split has still to emit. */
  boolean hasMore() {
    return hasMoreBefore(stopOffset);
  }

  /** The same for those below an offset, as the last stable one. */
  boolean hasMoreBefore(long end) {
    int next = emitted;
    while (next < appended && visible[next] < lostBefore) {
      next++;
    }
    return !finished && !endedEarly && next < appended && visible[next] < Math.min(end, stopOffset);
  }

  @Override
  public String toString() {
    return id() + "@" + position + "/" + clock + (finished ? "/finished" : "");
  }
}
