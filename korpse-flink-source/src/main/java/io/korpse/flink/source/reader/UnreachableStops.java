package io.korpse.flink.source.reader;

import io.korpse.flink.source.reader.proxy.LossHandler;
import io.korpse.flink.source.reader.proxy.SplitWishes;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.DataLossPolicy;
import io.korpse.offsets.Position;
import io.korpse.offsets.lag.PartitionLag;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices splits whose stop the log once reached and does not reach any more, as after a truncation
 * that left more than what was read. Kafka says nothing then: the split would wait for as many new
 * records, or for ever. It is a data loss, and {@code onDataLoss} says whether the job fails or the
 * split ends with what there is.
 *
 * <p>A log counts as cut when its end was below the stop for some seconds, with all of it emitted,
 * and when the broker says so once more: a leader that was just elected may be a moment behind.
 * That answer is the high watermark. When reading committed, all can be emitted that is stable
 * while an open transaction holds back records up to the stop and beyond: they are waited for.
 */
final class UnreachableStops implements Runnable {

  private static final Logger LOG = LoggerFactory.getLogger(UnreachableStops.class);

  static final Duration PATIENCE = Duration.ofSeconds(5);

  /** After this time it is said why a split does not end whose stop is yet to come. */
  static final Duration LONG_WAIT = Duration.ofMinutes(1);

  /** What the broker said of a split, or why the job has to fail. */
  private record Finding(KorpseSplitState state, long end, @Nullable DataLossException failure) {}

  private record HeldBack(long highWatermark, long askedAt) {}

  private final SplitStates states;
  private final SplitWishes control;
  private final DataLossPolicy policy;
  private final LossHandler ends;
  private final LongSupplier nanos;

  // Confined to the thread of run().
  private final Map<KorpseSplitState, Long> since = new HashMap<>();
  private final Set<KorpseSplitState> told = new HashSet<>();

  private final Set<KorpseSplitState> asked = ConcurrentHashMap.newKeySet();

  /** The splits whose log held more than can be read yet, when the broker was last asked. */
  private final Map<KorpseSplitState, HeldBack> heldBack = new ConcurrentHashMap<>();

  private final ConcurrentLinkedQueue<Finding> findings = new ConcurrentLinkedQueue<>();
  private volatile boolean due;
  private volatile Runnable onDue = () -> {};

  /**
   * Nothing is known yet.
   *
   * @param ends tells where the log of a split ends now, if its topic is still the same
   */
  UnreachableStops(
      SplitStates states,
      SplitWishes control,
      DataLossPolicy policy,
      LossHandler ends,
      LongSupplier nanos) {
    this.states = states;
    this.control = control;
    this.policy = policy;
    this.ends = ends;
    this.nanos = nanos;
  }

  /** What makes the task thread call {@link #applyDue()}, also when it has nothing to do. */
  void onDue(Runnable wake) {
    onDue = wake;
  }

  /** Looks at each split. The thread of the lag tracker. */
  @Override
  public void run() {
    long now = nanos.getAsLong();
    forgetThoseThatLeft();
    for (KorpseSplitState state : states.all()) {
      PartitionLag lag = state.lag();
      long stop = state.stopOffset();
      if (lag != null && stop != KorpseSplit.NO_STOP_OFFSET) {
        look(state, lag.end(), stop, now);
      }
    }
  }

  /** Questions that are not answered yet. Any thread. */
  int open() {
    return asked.size();
  }

  private void forgetThoseThatLeft() {
    if (!since.isEmpty() || !told.isEmpty() || !heldBack.isEmpty() || !asked.isEmpty()) {
      Set<KorpseSplitState> present = new HashSet<>(states.all());
      since.keySet().retainAll(present);
      told.retainAll(present);
      heldBack.keySet().retainAll(present);
      // A question about a split that was taken away may never be answered.
      asked.retainAll(present);
    }
  }

  private void look(KorpseSplitState state, long end, long stop, long now) {
    if (end >= stop) {
      state.seeStop();
    }
    if (end < 0 || end >= stop || state.offset() != end) {
      since.remove(state);
      heldBack.remove(state);
      return;
    }
    Long first = since.putIfAbsent(state, now);
    long waited = first == null ? 0 : now - first;
    if (!state.stopSeen()) {
      if (waited >= LONG_WAIT.toNanos() && told.add(state)) {
        LOG.info(
            "{} is read to its end {} and waits for records up to its stop offset {}, which its log"
                + " has not reached yet",
            state.partition(),
            end,
            stop);
      }
    } else if (waited >= PATIENCE.toNanos()) {
      HeldBack more = heldBack.get(state);
      if (more != null && waited >= LONG_WAIT.toNanos() && told.add(state)) {
        LOG.info(
            "{} is read to {} and waits for more up to its stop offset {}: its log goes to {}, and"
                + " an open transaction holds that back",
            state.partition(),
            end,
            stop,
            more.highWatermark());
      }
      if ((more == null || now - more.askedAt() >= PATIENCE.toNanos()) && asked.add(state)) {
        ask(state.partition(), state, end, now);
      }
    }
  }

  private void ask(TopicPartition partition, KorpseSplitState state, long end, long now) {
    CompletionStage<Position> answer;
    try {
      answer = ends.resolve(partition, end, OptionalLong.empty());
    } catch (RuntimeException e) {
      answer = CompletableFuture.failedFuture(e);
    }
    answer.whenComplete(
        (position, failure) -> {
          if (position != null && position.offset() > end) {
            heldBack.put(state, new HeldBack(position.offset(), now));
          } else {
            heldBack.remove(state);
            answered(state, position, failure);
          }
          asked.remove(state);
        });
  }

  private void answered(
      KorpseSplitState state, @Nullable Position position, @Nullable Throwable failure) {
    Throwable cause = failure == null || failure.getCause() == null ? failure : failure.getCause();
    if (position != null) {
      findings.add(new Finding(state, position.offset(), null));
    } else if (cause instanceof DataLossException loss) {
      findings.add(new Finding(state, -1, loss));
    } else {
      LOG.debug("The end of {} is not known; asks again", state.partition(), failure);
      return;
    }
    due = true;
    onDue.run();
  }

  /**
   * Ends the splits that were found, or fails. Task thread.
   *
   * @throws DataLossException by policy
   */
  void applyDue() {
    if (due) {
      due = false;
      for (Finding found = findings.poll(); found != null; found = findings.poll()) {
        KorpseSplitState state = found.state();
        if (states.get(KorpseSplit.splitId(state.partition())) != state) {
          continue; // Taken away meanwhile; a split of a topic of the same name is another.
        }
        if (found.failure() != null) {
          throw found.failure();
        }
        apply(state, found.end());
      }
    }
  }

  private void apply(KorpseSplitState state, long end) {
    String splitId = KorpseSplit.splitId(state.partition());
    long stop = state.stopOffset();
    if (state.offset() != end || stop <= end) {
      return;
    }
    String found =
        "Data loss on "
            + state.partition()
            + ": it was to be read up to offset "
            + stop
            + ", which its log has held, and the log ends at "
            + end
            + " now, where it was truncated; "
            + (stop - end)
            + " records are gone";
    if (policy == DataLossPolicy.FAIL) {
      throw new DataLossException(
          found
              + ". Choose with onDataLoss to end with what there is, or start without this state");
    }
    LOG.warn("{}; ends there", found);
    if (state.lag() != null) {
      state.lag().observeSkipped(stop - end);
    }
    state.stopAt(end);
    control.stopAt(splitId, end);
  }
}
