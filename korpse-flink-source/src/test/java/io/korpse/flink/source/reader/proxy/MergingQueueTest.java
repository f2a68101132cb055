package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.connector.base.source.reader.RecordsBySplits;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.synchronization.FutureCompletingBlockingQueue;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** Two lanes, of partitions 0 and 1, with a slack of 10 ms and a wait of a second. */
final class MergingQueueTest {

  private static final long NOTHING = MergeLane.NOTHING;

  private final SimScheduler time = new SimScheduler();
  private final ProxyStats stats = new ProxyStats();
  private final FutureCompletingBlockingQueue<RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>>>
      inner = new FutureCompletingBlockingQueue<>(50);
  private final LaneMerge merge = new LaneMerge(2, Duration.ofSeconds(1), 10, stats, time);
  private final MergingQueue queue =
      merge.over(inner, (nanos, what) -> time.afterNanos(nanos, what));
  private final List<SplitBuffer> splits = List.of(Buffers.empty(0), Buffers.empty(1));
  private final List<Long> emitted = new ArrayList<>();
  private final List<Set<String>> finished = new ArrayList<>();

  MergingQueueTest() {
    for (int i = 0; i < 2; i++) {
      merge.lane(i).assign(1);
      merge.lane(i).took(1, NOTHING);
    }
  }

  @Test
  void puts_the_records_of_both_lanes_in_order_within_the_slack() throws Exception {
    hand(0, NOTHING, 100, 105, 200, 300);
    hand(1, NOTHING, 150, 195, 205, 400);

    takeAll();

    assertThat(emitted).containsExactly(100L, 105L, 150L, 195L, 205L, 200L, 300L, 400L);
    assertThat(stats.maxDisorderMillis()).isEqualTo(5);
  }

  @Test
  void waits_for_a_lane_that_has_something_earlier() throws Exception {
    merge.lane(1).tell(120, false);
    hand(0, NOTHING, 100, 125, 131);

    takeAll();

    assertThat(emitted).as("up to the slack beyond what may come").containsExactly(100L, 125L);
    assertThat(queue.getAvailabilityFuture()).isNotDone();
    assertThat(queue.isEmpty()).isFalse();
  }

  @Test
  void wakes_the_task_when_the_lane_turns_out_to_have_nothing() throws Exception {
    merge.lane(1).tell(120, false);
    hand(0, NOTHING, 200);
    takeAll();
    CompletableFuture<Void> available = queue.getAvailabilityFuture();
    assertThat(available).isNotDone();

    merge.lane(1).tell(NOTHING, false);

    assertThat(available).isDone();
    takeAll();
    assertThat(emitted).containsExactly(200L);
    assertThat(stats.orderGivenUp()).isZero();
  }

  @Test
  void waits_no_longer_than_the_limit_and_counts_that() throws Exception {
    hand(1, 100, 100);
    hand(0, NOTHING, 100);
    takeAll();
    hand(0, NOTHING, 500);
    takeAll();
    assertThat(emitted).hasSize(2);
    CompletableFuture<Void> available = queue.getAvailabilityFuture();

    time.advance(Duration.ofMillis(1_100));

    assertThat(available).isDone();
    takeAll();
    assertThat(emitted).containsExactly(100L, 100L, 500L);
    assertThat(stats.orderGivenUp()).isEqualTo(1);
    assertThat(stats.orderWaitMillis()).isBetween(990L, 1_101L);
  }

  /** Ten in a row would be a second each; a tenth of the time is what all have together. */
  @Test
  void all_waits_together_take_a_tenth_of_the_time() throws Exception {
    for (long i = 0; i < 20; i++) {
      hand(1, 1_000 * i, 1_000 * i);
      hand(0, NOTHING, 1_000 * i, 1_000 * i + 500);
      for (int millis = 0; millis < 400; millis += 2) {
        takeAll();
        time.advance(Duration.ofMillis(2));
      }
    }

    // 100 ms of each wait are free.
    assertThat(stats.orderWaitMillis()).isBetween(2_500L, 20 * 100L + 1_010L);
    assertThat(stats.orderGivenUp()).isPositive();
    assertThat(emitted).hasSize(60);
  }

  @Test
  void a_lane_without_splits_is_not_waited_for() throws Exception {
    merge.lane(1).tell(120, false);
    merge.lane(1).left();
    hand(0, NOTHING, 100, 500);

    takeAll();

    assertThat(emitted).containsExactly(100L, 500L);
  }

  @Test
  void a_lane_that_has_not_taken_its_splits_yet_is_waited_for() throws Exception {
    merge.lane(1).assign(1);
    hand(0, NOTHING, 100);

    takeAll();

    assertThat(emitted).isEmpty();
  }

  /** It is counted as sent before it is in the queue. */
  @Test
  void a_batch_that_is_on_its_way_is_waited_for() throws Exception {
    HandoverBatch batch = batch(1, 50);
    merge.lane(1).send(batch, NOTHING);
    hand(0, NOTHING, 100);
    takeAll();
    assertThat(emitted).isEmpty();

    inner.put(1, batch);
    takeAll();

    assertThat(emitted).containsExactly(50L, 100L);
  }

  /** What was held too long goes out however far ahead it is, and holds nobody back. */
  @Test
  void a_run_out_of_turn_goes_at_once() throws Exception {
    HandoverBatch batch = batch(1, 9_000);
    batch.outOfTurn();
    Buffers.add(splits.get(1), 9_100);
    splits.get(1).take(batch, Long.MAX_VALUE, Long.MAX_VALUE);
    merge.lane(1).send(batch, NOTHING);
    inner.put(1, batch);
    hand(0, 200, 100, 110);

    takeAll();

    assertThat(emitted).containsExactly(9_000L, 100L, 110L);
  }

  @Test
  void a_lane_whose_splits_were_held_too_long_gives_what_it_has() throws Exception {
    merge.lane(0).tell(100, false);
    hand(1, NOTHING, 9_000, 9_500);
    takeAll();
    assertThat(emitted).isEmpty();

    merge.lane(1).tell(NOTHING, true);
    takeAll();

    assertThat(emitted).containsExactly(9_000L, 9_500L);
  }

  /** Records without a timestamp have no order, and must not starve another lane. */
  @Test
  void lanes_without_timestamps_take_turns() throws Exception {
    hand(0, SplitBuffer.NO_TIME, -1);
    hand(0, SplitBuffer.NO_TIME, -1);
    hand(1, SplitBuffer.NO_TIME, -1);
    hand(1, SplitBuffer.NO_TIME, -1);

    List<String> order = takeAll();

    assertThat(order.subList(0, 2)).containsExactlyInAnyOrder("t-0", "t-1");
  }

  /** A backlog of them in one lane has one run beside each of the other. */
  @Test
  void records_without_timestamps_keep_no_other_lane_waiting() throws Exception {
    for (int i = 0; i < 5; i++) {
      hand(0, NOTHING, -1);
      hand(1, NOTHING, 100 + i);
    }

    List<String> order = takeAll();

    assertThat(order).hasSize(10);
    for (int i = 0; i < 10; i += 2) {
      assertThat(order.subList(i, i + 2)).containsExactlyInAnyOrder("t-0", "t-1");
    }
    assertThat(stats.maxDisorderMillis()).isZero();
  }

  @Test
  void a_run_without_timestamps_waits_for_nobody() throws Exception {
    merge.lane(1).tell(120, false);
    hand(0, NOTHING, -1, -1);

    takeAll();

    assertThat(emitted).containsExactly(-1L, -1L);
  }

  @Test
  void reports_a_split_as_finished_with_the_end_of_its_batch_and_gives_the_batch_back()
      throws Exception {
    BufferBudget budget = new BufferBudget(1_000);
    ReturnedBatches home = new ReturnedBatches(budget, new WakeSignal((condition, nanos) -> 0));
    HandoverBatch batch = new HandoverBatch(10, 1_000, home);
    Buffers.add(splits.get(0), 100, 200);
    splits.get(0).take(batch, Long.MAX_VALUE, Long.MAX_VALUE);
    batch.finish(Set.of("t-0"));
    merge.lane(0).send(batch, NOTHING);
    inner.put(0, batch);
    hand(1, NOTHING, 150);

    takeAll();

    assertThat(emitted).containsExactly(100L, 150L, 200L);
    assertThat(finished).containsOnlyOnce(Set.of("t-0"));
    assertThat(home.poll()).isSameAs(batch);
    assertThat(queue.isEmpty()).isTrue();
  }

  /** With it a fetcher that ends learns that what it has put in before was read. */
  @Test
  void passes_on_what_is_not_of_a_proxy_and_drops_empty_batches() throws Exception {
    RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> other =
        new RecordsBySplits<>(Collections.emptyMap(), Set.of());
    inner.put(0, ProxyParts.EMPTY);
    inner.put(0, other);

    assertThat(queue.poll()).isSameAs(other);
    assertThat(queue.poll()).isNull();
    assertThat(queue.isEmpty()).isTrue();
  }

  /**
   * Two have ended, and the reader is closed when it has seen one of that: as after a last record.
   */
  @Test
  void gives_back_at_close_what_fetchers_that_have_ended_wait_for() throws Exception {
    AtomicInteger recycled = new AtomicInteger();
    for (int lane = 0; lane < 2; lane++) {
      inner.put(
          lane,
          new RecordsBySplits<>(Collections.emptyMap(), Set.of()) {
            @Override
            public void recycle() {
              recycled.incrementAndGet();
            }
          });
    }
    assertThat(queue.poll()).isNotNull();
    assertThat(recycled).hasValue(0);

    queue.close();

    assertThat(recycled).hasValue(1);
    assertThat(queue.isEmpty()).isTrue();
  }

  // ---- fetchers and task thread

  private HandoverBatch batch(int lane, long... timestamps) {
    HandoverBatch batch = Buffers.batch(100);
    Buffers.add(splits.get(lane), timestamps);
    splits.get(lane).take(batch, Long.MAX_VALUE, Long.MAX_VALUE);
    return batch;
  }

  private void hand(int lane, long remaining, long... timestamps) throws InterruptedException {
    HandoverBatch batch = batch(lane, timestamps);
    merge.lane(lane).send(batch, remaining);
    inner.put(lane, batch);
  }

  /** As Flink's reader does, until nothing is available; returns the split of each run. */
  private List<String> takeAll() {
    List<String> runs = new ArrayList<>();
    while (queue.getAvailabilityFuture().isDone()) {
      RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> fetch = queue.poll();
      if (fetch == null) {
        continue;
      }
      for (String split = fetch.nextSplit(); split != null; split = fetch.nextSplit()) {
        runs.add(split);
        for (var record = fetch.nextRecordFromSplit();
            record != null;
            record = fetch.nextRecordFromSplit()) {
          emitted.add(record.timestamp());
        }
      }
      finished.add(fetch.finishedSplits());
      fetch.recycle();
    }
    return runs;
  }
}
