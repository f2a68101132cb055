package io.korpse.flink.source.reader.proxy;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What a reader's proxy did, since it started. Written by the fetcher thread, read by any.
 *
 * <p>Belongs to the reader: it goes on when the proxy is built anew.
 */
public final class ProxyStats {

  private final AtomicLong polls = new AtomicLong();
  private final AtomicLong emptyPolls = new AtomicLong();
  private final AtomicLong skippedPolls = new AtomicLong();
  private final AtomicLong records = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong bufferedRecords = new AtomicLong();
  private final AtomicLong bufferedBytes = new AtomicLong();
  private final AtomicLong splits = new AtomicLong();
  private final AtomicLong batches = new AtomicLong();
  private final AtomicLong orderGivenUp = new AtomicLong();
  private final AtomicLong orderWaitNanos = new AtomicLong();
  private final AtomicLong servedAfterHold = new AtomicLong();
  private final AtomicLong withheld = new AtomicLong();
  private final AtomicLong consumerRebuilds = new AtomicLong();
  private final AtomicLong shed = new AtomicLong();
  private final AtomicLong windowed = new AtomicLong();
  private final AtomicLong maxDisorderMillis = new AtomicLong();
  private final AtomicLong orderSlackMillis = new AtomicLong();

  /** One writer, so a plain add with an ordered store is enough and costs no fence. */
  private static void add(AtomicLong counter, long amount) {
    counter.lazySet(counter.getPlain() + amount);
  }

  void polled(long polledRecords, long polledBytes) {
    add(polls, 1);
    if (polledRecords == 0) {
      add(emptyPolls, 1);
    } else {
      add(records, polledRecords);
      add(bytes, polledBytes);
    }
  }

  void pollSkipped() {
    add(skippedPolls, 1);
  }

  void buffered(long nowRecords, long nowBytes) {
    bufferedRecords.lazySet(nowRecords);
    bufferedBytes.lazySet(nowBytes);
  }

  void splits(int count) {
    splits.lazySet(count);
  }

  void batchComposed() {
    add(batches, 1);
  }

  void countOrderGivenUp() {
    add(orderGivenUp, 1);
  }

  void orderWaited(long nanos) {
    add(orderWaitNanos, nanos);
  }

  void countServedAfterHold() {
    add(servedAfterHold, 1);
  }

  void withheld(long count) {
    add(withheld, count);
  }

  void consumerRebuilt() {
    add(consumerRebuilds, 1);
  }

  void shed(long splits) {
    add(shed, splits);
  }

  void windowActive(boolean active) {
    windowed.lazySet(active ? 1 : 0);
  }

  void disorder(long millis) {
    maxDisorderMillis.lazySet(millis);
  }

  void orderSlack(long millis) {
    orderSlackMillis.lazySet(millis);
  }

  /** Calls of {@code poll}. */
  public long polls() {
    return polls.get();
  }

  /** Polls that brought no record. */
  public long emptyPolls() {
    return emptyPolls.get();
  }

  /** Steps that went without a poll since enough was buffered or nothing could be fetched. */
  public long skippedPolls() {
    return skippedPolls.get();
  }

  /** Records read from Kafka. */
  public long records() {
    return records.get();
  }

  /** Bytes of heap of the records read from Kafka. */
  public long bytes() {
    return bytes.get();
  }

  /** Records that are buffered now, without those handed over. */
  public long bufferedRecords() {
    return bufferedRecords.get();
  }

  /** Bytes that are buffered now, without those handed over. */
  public long bufferedBytes() {
    return bufferedBytes.get();
  }

  /** Splits that the proxy has now. */
  public long splits() {
    return splits.get();
  }

  /** Batches handed over. */
  public long batches() {
    return batches.get();
  }

  /** How often event-time order went on without a split that it waited for. */
  public long orderGivenUp() {
    return orderGivenUp.get();
  }

  /** Milliseconds that buffered records waited for the sake of order. */
  public long orderWaitMillis() {
    return orderWaitNanos.get() / 1_000_000;
  }

  /** Runs served out of order because their split was held back for the longest time allowed. */
  public long servedAfterHold() {
    return servedAfterHold.get();
  }

  /** Records that a poll withheld because its byte quota was used up; they are fetched again. */
  public long withheld() {
    return withheld.get();
  }

  /** How often the consumer was replaced, to fit the records' size or because it was stuck. */
  public long consumerRebuilds() {
    return consumerRebuilds.get();
  }

  /** Splits whose fetched data was dropped in the client to bound what paused splits pin. */
  public long shed() {
    return shed.get();
  }

  /** 1 while the budget is short and only a window of splits is fetched, else 0. */
  public long windowActive() {
    return windowed.get();
  }

  /** How far the last run was allowed to go beyond the next split's head, in milliseconds. */
  public long orderSlackMillis() {
    return orderSlackMillis.get();
  }

  /**
   * The most milliseconds by which a record was handed over behind a later one, in the last one to
   * two minutes and not counting what came after a hold.
   */
  public long maxDisorderMillis() {
    return maxDisorderMillis.get();
  }
}
