package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The two things that cross threads: bytes that come back, and wakes. Each round lets the threads
 * meet at a barrier and race once; a wake that is lost shows as a wait of many seconds, bytes that
 * are lost as a budget that is not empty.
 */
@Timeout(120)
class WakeStressTest {

  private static final int ROUNDS = 20_000;
  private static final long PATIENCE_MILLIS = 60_000;
  private static final long LONG = Duration.ofSeconds(60).toNanos();

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  @Test
  void a_batch_that_comes_back_ends_the_park_that_is_about_to_begin() throws Exception {
    BufferBudget budget = new BufferBudget(1_000_000);
    WakeSignal wake = new WakeSignal(Condition::awaitNanos);
    ReturnedBatches returns = new ReturnedBatches(budget, wake);
    CyclicBarrier start = new CyclicBarrier(2);
    Future<?> task =
        threads.submit(
            () -> {
              for (int i = 0; i < ROUNDS; i++) {
                HandoverBatch batch = handedOver(budget, returns, 100);
                meet(start);
                batch.recycle();
              }
              return null;
            });
    for (int i = 0; i < ROUNDS; i++) {
      meet(start);
      while (returns.isEmpty()) {
        wake.park(LONG, returns);
      }
      assertThat(returns.poll()).isNotNull();
    }
    task.get();
    assertThat(budget.used()).isZero();
    assertThat(budget.batches()).isZero();
  }

  @Test
  void a_wake_ends_the_park_that_is_about_to_begin_and_is_taken_once() throws Exception {
    WakeSignal wake = new WakeSignal(Condition::awaitNanos);
    ReturnedBatches returns = new ReturnedBatches(new BufferBudget(1), wake);
    CyclicBarrier start = new CyclicBarrier(2);
    Future<?> waker =
        threads.submit(
            () -> {
              for (int i = 0; i < ROUNDS; i++) {
                meet(start);
                wake.wake();
              }
              return null;
            });
    for (int i = 0; i < ROUNDS; i++) {
      meet(start);
      while (!wake.takePending()) {
        wake.park(LONG, returns);
      }
      assertThat(wake.takePending()).isFalse();
    }
    waker.get();
  }

  /** W79. */
  @Test
  void a_wake_or_a_batch_reaches_the_owner_before_or_inside_its_poll() throws Exception {
    BufferBudget budget = new BufferBudget(1_000_000);
    WakeSignal wake = new WakeSignal(Condition::awaitNanos);
    ReturnedBatches returns = new ReturnedBatches(budget, wake);
    CyclicBarrier start = new CyclicBarrier(3);
    Future<?> task =
        threads.submit(
            () -> {
              for (int i = 0; i < ROUNDS; i++) {
                HandoverBatch batch = handedOver(budget, returns, 7);
                meet(start);
                batch.recycle();
              }
              return null;
            });
    Future<?> waker =
        threads.submit(
            () -> {
              for (int i = 0; i < ROUNDS; i++) {
                meet(start);
                wake.wake();
              }
              return null;
            });
    WokenConsumer consumer = new WokenConsumer();
    for (int i = 0; i < ROUNDS; i++) {
      meet(start);
      boolean returned = false;
      boolean asked = false;
      while (!returned || !asked) {
        asked |= wake.takePending();
        returned |= returns.poll() != null;
        if ((!returned || !asked) && wake.enterPoll(consumer, true, returns)) {
          consumer.awaitWakeup();
          wake.leavePoll();
        }
      }
    }
    task.get();
    waker.get();
    assertThat(budget.used()).isZero();
  }

  @Test
  void bytes_are_given_back_once_however_many_threads_recycle_a_batch() throws Exception {
    BufferBudget budget = new BufferBudget(1_000_000);
    WakeSignal wake = new WakeSignal(Condition::awaitNanos);
    ReturnedBatches returns = new ReturnedBatches(budget, wake);
    int racers = 3;
    CyclicBarrier start = new CyclicBarrier(racers + 1);
    HandoverBatch[] current = new HandoverBatch[1];
    AtomicInteger done = new AtomicInteger();
    List<Future<?>> tasks = new ArrayList<>();
    for (int r = 0; r < racers; r++) {
      tasks.add(
          threads.submit(
              () -> {
                for (int i = 0; i < ROUNDS / 4; i++) {
                  meet(start);
                  current[0].recycle();
                  done.incrementAndGet();
                  meet(start);
                }
                return null;
              }));
    }
    for (int i = 0; i < ROUNDS / 4; i++) {
      current[0] = handedOver(budget, returns, 50);
      meet(start);
      // a close of the proxy takes back what the task thread may just be giving back
      if (current[0].reclaim()) {
        budget.batchReturned(current[0].bytes());
      }
      meet(start);
      assertThat(budget.used()).isZero();
      assertThat(budget.batches()).isZero();
      while (returns.poll() != null) {
        // at most one
      }
    }
    for (Future<?> task : tasks) {
      task.get();
    }
    assertThat(done).hasValue(racers * (ROUNDS / 4));
  }

  private static HandoverBatch handedOver(
      BufferBudget budget, ReturnedBatches returns, int weight) {
    HandoverBatch batch = new HandoverBatch(1, Long.MAX_VALUE, returns);
    SplitBuffer split = Buffers.empty(0);
    batch.add(split, records(split), 0, 1, weight, 1, -1);
    budget.reserve(weight);
    budget.batchHandedOver();
    return batch;
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static ConsumerRecord<byte[], byte[]>[] records(SplitBuffer split) {
    return Buffers.records(split, 1).toArray(new ConsumerRecord[0]);
  }

  private static void meet(CyclicBarrier barrier)
      throws InterruptedException, BrokenBarrierException, ExecutionException {
    barrier.await();
  }

  /** A consumer of which only the wakeup works: it latches, as the real one's does. */
  private static final class WokenConsumer extends MockConsumer<byte[], byte[]> {
    private boolean latched;

    WokenConsumer() {
      super("none");
    }

    @Override
    public synchronized void wakeup() {
      latched = true;
      notifyAll();
    }

    synchronized void awaitWakeup() throws InterruptedException {
      while (!latched) {
        wait(PATIENCE_MILLIS);
      }
      latched = false;
    }
  }
}
