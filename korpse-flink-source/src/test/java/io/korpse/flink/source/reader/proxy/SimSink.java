package io.korpse.flink.source.reader.proxy;

import static io.korpse.flink.source.reader.proxy.SimViolation.check;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The task thread: emits the records of the batches that were handed over, in their order, and
 * gives the batches back, now and then late, in another order or twice.
 */
final class SimSink {

  private final SimScheduler time;
  private final Random random;
  private final Map<String, SimSplit> splits;
  private final ProxyControl control;
  private final Deque<HandoverBatch> queue = new ArrayDeque<>();
  private final List<HandoverBatch> late = new ArrayList<>();
  private HandoverBatch current;
  private String splitId;
  private int emittedOfBatch;
  private long weightOfBatch;
  private boolean movedInBatch;
  private long emitted;
  private boolean prompt;

  SimSink(SimScheduler time, Random random, Map<String, SimSplit> splits, ProxyControl control) {
    this.time = time;
    this.random = random;
    this.splits = splits;
    this.control = control;
  }

  /** From now on every batch is given back at once. */
  void bePrompt() {
    prompt = true;
    giveBackLate();
  }

  void offer(HandoverBatch batch) {
    queue.add(batch);
  }

  long emitted() {
    return emitted;
  }

  /** Bytes of the batches that were not given back. */
  long heldBytes() {
    long bytes = current == null ? 0 : current.bytes();
    for (HandoverBatch batch : queue) {
      bytes += batch.bytes();
    }
    for (HandoverBatch batch : late) {
      bytes += batch.bytes();
    }
    return bytes;
  }

  int heldBatches() {
    return queue.size() + late.size() + (current == null ? 0 : 1);
  }

  boolean isIdle() {
    return current == null && queue.isEmpty() && late.isEmpty();
  }

  /** Emits up to so many records; ends with a batch that is emitted as a whole. */
  void emit(int records) {
    for (int left = records; left > 0; ) {
      if (current == null) {
        current = queue.poll();
        splitId = null;
        emittedOfBatch = 0;
        weightOfBatch = 0;
        movedInBatch = false;
        if (current == null) {
          return;
        }
      }
      if (splitId == null) {
        splitId = current.nextSplit();
      }
      if (splitId == null) {
        finishBatch();
        continue;
      }
      ConsumerRecord<byte[], byte[]> next = current.nextRecordFromSplit();
      if (next == null) {
        splitId = null;
      } else {
        splits.get(splitId).emit(next);
        emitted++;
        emittedOfBatch++;
        weightOfBatch += RecordWeigher.heapOf(next);
        left--;
      }
    }
  }

  /** The position of a split moved, as the end of a run says. */
  void moved(SimSplit split, long offset, int epoch) {
    movedInBatch |= offset > split.position();
    split.moveTo(offset, epoch);
  }

  private void finishBatch() {
    HandoverBatch batch = current;
    current = null;
    check(
        emittedOfBatch > 0 || movedInBatch || !batch.finishedSplits().isEmpty(),
        "PROGRESS",
        () -> "a batch brought no record, no finished split and no position: " + batch.runs());
    long weight = weightOfBatch;
    check(
        batch.bytes() == weight,
        "I2",
        () -> "a batch of " + batch.bytes() + " bytes held records of " + weight);
    for (String id : batch.finishedSplits()) {
      check(splits.containsKey(id), "I1", () -> "unknown split finished: " + id);
      splits.get(id).finish();
      control.forget(id);
    }
    if (prompt || random.nextInt(3) > 0) {
      batch.recycle();
      if (random.nextInt(8) == 0) {
        batch.recycle();
      }
    } else {
      late.add(batch);
      time.after(Duration.ofMillis(random.nextInt(120)), this::giveBackOne);
    }
  }

  private void giveBackOne() {
    if (!late.isEmpty()) {
      late.remove(random.nextInt(late.size())).recycle();
    }
  }

  private void giveBackLate() {
    List.copyOf(late).forEach(HandoverBatch::recycle);
    late.clear();
  }

  /** The task failed: what it holds is not emitted any more, and given back late or never. */
  void abandon() {
    List<HandoverBatch> abandoned = new ArrayList<>(queue);
    abandoned.addAll(late);
    if (current != null) {
      abandoned.add(current);
    }
    queue.clear();
    late.clear();
    current = null;
    splitId = null;
    for (HandoverBatch batch : abandoned) {
      if (random.nextBoolean()) {
        time.after(Duration.ofMillis(random.nextInt(300)), batch::recycle);
      }
    }
  }
}
