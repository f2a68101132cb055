package io.korpse.flink.source.reader.proxy;

import java.util.ArrayDeque;
import javax.annotation.Nullable;

/**
 * One of several proxies of a reader, as the merge of their batches sees it: what it has handed
 * over, and how early what it has not may be.
 *
 * <p>The fetcher thread writes the volatile fields, one writer each at a time; all else is confined
 * to the task thread. A batch is counted as sent before it is put into the queue, and what remains
 * is told after that. So whoever reads first {@link #earliest}, then {@link #sent}, then the queue,
 * finds each batch: in the queue, or as sent and not there yet, or as what remains.
 */
@SuppressWarnings("NonAtomicVolatileUpdate") // each field has one writer
public final class MergeLane {

  /** Nothing comes that is known of. */
  static final long NOTHING = Long.MAX_VALUE;

  private final Runnable onChange;

  // ---- written by the fetcher thread

  private volatile long earliest = NOTHING;
  private volatile long sent;
  private volatile long added;
  private volatile boolean overdue;

  // ---- task thread

  private final ArrayDeque<HandoverBatch> batches = new ArrayDeque<>();
  private long received;
  private long assigned;
  private int splits;

  /** Until when order may wait for this lane since it ran empty. Owned by {@link MergeWait}. */
  long waitDeadline = OrderWait.NO_DEADLINE;

  /** Whether order went on without this lane since it ran empty. Owned by {@link MergeWait}. */
  boolean givenUp;

  /** Whether order went on without it as the share was used up. Owned by {@link MergeWait}. */
  boolean goneOn;

  /** What was last seen of a lane that has nothing here. */
  private long lookedAt = NOTHING;

  MergeLane(Runnable onChange) {
    this.onChange = onChange;
  }

  // ---- fetcher thread

  /**
   * Without a batch.
   *
   * @param newEarliest the earliest time of what is buffered or waited for, {@link #NOTHING}
   *     without
   * @param nowOverdue whether a split was not served for too long, and only what is handed over
   *     keeps it from that
   */
  void tell(long newEarliest, boolean nowOverdue) {
    boolean changed = newEarliest != earliest || nowOverdue != overdue;
    if (changed) {
      overdue = nowOverdue;
      earliest = newEarliest;
      onChange.run();
    }
  }

  /** With a batch, before that is put into the queue. */
  void send(HandoverBatch batch, long remaining) {
    batch.seal(this, remaining);
    sent++;
    overdue = false;
    earliest = remaining;
  }

  /** So many splits are known to the proxy now, of those that were {@link #assigned}. */
  void took(int count, long newEarliest) {
    earliest = newEarliest;
    added += count;
    onChange.run();
  }

  /** Whether nothing was ever handed over. */
  boolean isNew() {
    return sent == 0;
  }

  // ---- task thread

  /** So many splits are on their way to the proxy. */
  public void assign(int count) {
    assigned += count;
    splits += count;
    waitDeadline = OrderWait.NO_DEADLINE;
    givenUp = false;
  }

  /** A split left. */
  public void left() {
    splits--;
  }

  void receive(HandoverBatch batch) {
    received++;
    batches.addLast(batch);
  }

  @Nullable
  HandoverBatch head() {
    return batches.peekFirst();
  }

  HandoverBatch removeHead() {
    return batches.removeFirst();
  }

  boolean isEmpty() {
    return batches.isEmpty();
  }

  /** Remembers how early what is not here may be; before the queue is looked into. */
  void look() {
    long time = earliest;
    boolean onItsWay = sent > received || added < assigned;
    lookedAt = splits == 0 ? NOTHING : onItsWay ? SplitBuffer.NO_TIME : time;
  }

  /** How early the next record may be, of a lane that has none here. */
  long awaited() {
    return lookedAt;
  }

  /** The earliest time of all that comes after the head's present run. */
  long afterRun() {
    if (overdue) {
      return SplitBuffer.NO_TIME;
    }
    long time = batches.peekFirst().afterRun();
    boolean first = true;
    for (HandoverBatch batch : batches) {
      if (!first) {
        time = Math.min(time, batch.earliest());
      }
      first = false;
    }
    return Math.min(time, batches.peekLast().remaining());
  }
}
