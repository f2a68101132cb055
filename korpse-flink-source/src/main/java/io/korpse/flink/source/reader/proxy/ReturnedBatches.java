package io.korpse.flink.source.reader.proxy;

import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Where emitted batches come back: the one way from the task thread to the proxy.
 *
 * <p>{@link #give} may be called from any thread. The bytes leave the budget at once; the splits
 * are told later, on the fetcher thread. The queue's own happens-before edge makes what the batch
 * holds visible there.
 */
final class ReturnedBatches {

  private final ConcurrentLinkedQueue<HandoverBatch> queue = new ConcurrentLinkedQueue<>();
  private final BufferBudget budget;
  private final WakeSignal wake;

  ReturnedBatches(BufferBudget budget, WakeSignal wake) {
    this.budget = budget;
    this.wake = wake;
  }

  void give(HandoverBatch batch) {
    budget.batchReturned(batch.bytes());
    queue.add(batch);
    wake.batchReturned();
  }

  /** The next batch that came back, or null. Fetcher thread. */
  HandoverBatch poll() {
    return queue.poll();
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }
}
