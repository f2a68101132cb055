package io.korpse.flink.source.reader;

import io.korpse.flink.source.reader.proxy.PositionListener;
import io.korpse.flink.source.reader.proxy.SplitStats;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import io.korpse.offsets.lag.PartitionLag;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * How far one split is emitted.
 *
 * <p>Written by the task thread only. The offset may be read from any thread: it is stored
 * opaquely, which costs no fence for each record and is seen by the others a moment later.
 */
public final class KorpseSplitState implements PositionListener {

  private static final VarHandle OFFSET;

  static {
    try {
      OFFSET = MethodHandles.lookup().findVarHandle(KorpseSplitState.class, "offset", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The offset of a split whose start is not resolved yet. */
  static final long UNRESOLVED = -1;

  private final SplitStats stats = new SplitStats();
  private KorpseSplit split;
  private PartitionLag lag;
  private Consumer<TopicPartition> stepBack = partition -> {};

  @SuppressWarnings("unused") // through OFFSET
  private long offset;

  private int leaderEpoch;
  private long stopOffset;
  private volatile boolean stopSeen;
  private volatile boolean pristine;
  private boolean ending;

  KorpseSplitState(KorpseSplit split) {
    resolve(split);
  }

  /** Takes the offsets of the split; again when the enumerator has resolved them. */
  final void resolve(KorpseSplit resolved) {
    split = resolved;
    stopOffset = resolved.stopOffset();
    stopSeen = resolved.stopSeen();
    pristine = resolved.pristine();
    if (resolved.unresolved().isPresent()) {
      OFFSET.setOpaque(this, UNRESOLVED);
      leaderEpoch = Position.NO_EPOCH;
    } else {
      OFFSET.setOpaque(this, resolved.position().offset());
      leaderEpoch = resolved.position().leaderEpoch();
    }
  }

  /** Tells whom to tell of what is emitted, and when the position goes back. */
  void watch(PartitionLag watchedLag, Consumer<TopicPartition> onStepBack) {
    lag = watchedLag;
    stepBack = onStepBack;
  }

  TopicPartition partition() {
    return split.partition();
  }

  /** Next offset to emit, {@link #UNRESOLVED} when not known. Any thread. */
  long offset() {
    return (long) OFFSET.getOpaque(this);
  }

  /**
   * Next position to emit, or null when not resolved. Any thread; the epoch may be a moment old.
   */
  @Nullable
  Position position() {
    long now = offset();
    return now < 0 ? null : new Position(now, leaderEpoch);
  }

  long stopOffset() {
    return stopOffset;
  }

  /**
   * From which offset on it is no loss when the log does not hold it any more: the stop, or all
   * offsets while the start may follow the log start. Any thread; may be a moment old.
   */
  long wantedUntil() {
    return pristine ? 0 : stopOffset;
  }

  /** What the proxy reads of the split. */
  SplitStats stats() {
    return stats;
  }

  @Nullable
  PartitionLag lag() {
    return lag;
  }

  /** Whether nothing was emitted and the start may follow the log start. Any thread. */
  boolean isPristine() {
    return pristine;
  }

  /** Whether the log was seen to reach the stop. Any thread. */
  boolean stopSeen() {
    return stopSeen;
  }

  /** The log reaches the stop. Any thread. */
  void seeStop() {
    stopSeen = true;
  }

  Uuid topicId() {
    return split.topicId();
  }

  /** A record was emitted, or left out for a reason. */
  void emitted(ConsumerRecord<byte[], byte[]> record) {
    OFFSET.setOpaque(this, record.offset() + 1);
    leaderEpoch = record.leaderEpoch().orElse(Position.NO_EPOCH);
    if (pristine) {
      pristine = false;
    }
    if (lag != null) {
      lag.observeTimestamp(record.timestamp());
    }
    if (ending) {
      ending = false;
      stopOffset = record.offset() + 1;
    }
  }

  /** The record that is being emitted is the last of its split. */
  void endAtCurrent() {
    ending = true;
  }

  void stopAt(long newStopOffset) {
    stopOffset = newStopOffset;
  }

  /** Takes an earlier stop from the enumerator. */
  void stopAs(KorpseSplit resolved) {
    stopAt(resolved.stopOffset());
    stopSeen = resolved.stopSeen();
  }

  @Override
  public void moveTo(long newOffset, int newEpoch) {
    if (newOffset <= stopOffset) {
      if (newOffset < offset()) {
        stepBack.accept(split.partition());
      }
      OFFSET.setOpaque(this, newOffset);
      leaderEpoch = newEpoch;
    }
  }

  /** The split as it goes into a checkpoint. */
  KorpseSplit toSplit() {
    Position now = position();
    if (now == null) {
      return split;
    }
    return new KorpseSplit(split.partition(), now, stopOffset, split.topicId(), pristine)
        .withStopSeen(stopSeen);
  }
}
