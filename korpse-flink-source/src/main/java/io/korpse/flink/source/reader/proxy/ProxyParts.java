package io.korpse.flink.source.reader.proxy;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * What a proxy is made of.
 *
 * @param consumerFactory makes the consumer, on the fetcher thread
 * @param limits the bounds
 * @param budget the reader's budget
 * @param control what the reader wants
 * @param stats what is counted
 * @param pauseTimes how long splits are paused
 * @param lossHandler decides what to do about lost offsets
 * @param unreadable finds where to go on after a damaged batch
 * @param inspector tells ends and epochs of new splits
 * @param weigher says what a record weighs
 * @param hook gives what to buffer of a record, or null to drop it; itself null for none
 * @param keepKeys whether somebody reads keys; else they are not copied
 * @param keepHeaders whether somebody reads headers; else they are dropped
 * @param maxPollRecords most records of one poll
 * @param maxPollRecordsFixed whether the user set that number, so that it is never changed
 * @param eventTime whether records are handed over by timestamp, else by fair turns
 * @param orderWait longest wait for an empty split that has more on the broker
 * @param orderSlackMillis how far a run may go beyond the next split's head
 * @param maxOrderSlackMillis the same, while splits are kept out and order is lost by much more
 * @param maxHold longest time that a split with records is held back for the sake of order
 * @param clock nanoseconds, monotonic
 */
public record ProxyParts(
    ConsumerFactory consumerFactory,
    ProxyLimits limits,
    BufferBudget budget,
    ProxyControl control,
    ProxyStats stats,
    PauseTimes pauseTimes,
    LossHandler lossHandler,
    UnreadableHandler unreadable,
    LogInspector inspector,
    RecordWeigher weigher,
    @Nullable UnaryOperator<ConsumerRecord<byte[], byte[]>> hook,
    boolean keepKeys,
    boolean keepHeaders,
    int maxPollRecords,
    boolean maxPollRecordsFixed,
    boolean eventTime,
    Duration orderWait,
    long orderSlackMillis,
    long maxOrderSlackMillis,
    Duration maxHold,
    LongSupplier clock) {

  /** What a fetch that was woken returns: nothing, and nothing to take back. */
  static final HandoverBatch EMPTY = new HandoverBatch(1, 1, null);

  private static final long QUANTUM_BYTES = 64 * 1024;

  /** A proxy of these parts. Fetcher thread. */
  public PollProxy newProxy() {
    return new PollProxy(this);
  }

  SplitChooser newChooser() {
    return eventTime
        ? new EventTimeChooser(
            new OrderSlack(orderSlackMillis, maxOrderSlackMillis, stats), maxHold.toNanos(), stats)
        : new FairChooser(QUANTUM_BYTES);
  }
}
