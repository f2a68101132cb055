package io.korpse.flink.source.reader;

import io.korpse.flink.source.reader.proxy.LossHandler;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.DataLossPolicy;
import io.korpse.offsets.Position;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What to do about an offset that the broker does not have.
 *
 * <p>Asks where the log begins and ends, without blocking, and applies the policy to what it finds.
 * A split that has emitted nothing and was to start at the beginning, at a time or a duration back
 * follows the log start: retention took nothing from it that it was promised. After a truncation
 * the log is shorter than what was read, so whatever the policy, there is nothing to skip to the
 * end for: reading goes on where the log diverged, or at its end (KIP-320).
 */
final class DataLoss implements LossHandler {

  private static final Logger LOG = LoggerFactory.getLogger(DataLoss.class);

  private final Supplier<Admin> admin;
  private final IsolationLevel isolation;
  private final DataLossPolicy policy;
  private final SplitStates states;

  DataLoss(
      Supplier<Admin> admin, IsolationLevel isolation, DataLossPolicy policy, SplitStates states) {
    this.admin = admin;
    this.isolation = isolation;
    this.policy = policy;
    this.states = states;
  }

  @Override
  public CompletionStage<Position> resolve(
      TopicPartition partition, long offset, OptionalLong divergent) {
    Admin client = admin.get();
    CompletableFuture<Long> start = ask(client, partition, OffsetSpec.earliest());
    CompletableFuture<Long> end = ask(client, partition, OffsetSpec.latest());
    return start
        .thenCombine(end, (first, last) -> decide(partition, offset, divergent, first, last))
        .whenComplete((position, failure) -> client.close());
  }

  /**
   * Where the log ends now: its high watermark, also when reading committed, since what an open
   * transaction holds back is there and not lost.
   */
  CompletionStage<Position> end(TopicPartition partition) {
    Admin client = admin.get();
    return ask(client, partition, OffsetSpec.latest(), IsolationLevel.READ_UNCOMMITTED)
        .thenApply(Position::of)
        .whenComplete((position, failure) -> client.close());
  }

  private CompletableFuture<Long> ask(Admin client, TopicPartition partition, OffsetSpec spec) {
    return ask(client, partition, spec, isolation);
  }

  private static CompletableFuture<Long> ask(
      Admin client, TopicPartition partition, OffsetSpec spec, IsolationLevel level) {
    return client
        .listOffsets(Map.of(partition, spec), new ListOffsetsOptions(level))
        .partitionResult(partition)
        .toCompletionStage()
        .thenApply(ListOffsetsResult.ListOffsetsResultInfo::offset)
        .toCompletableFuture();
  }

  Position decide(
      TopicPartition partition, long offset, OptionalLong divergent, long logStart, long logEnd) {
    KorpseSplitState state = states.get(KorpseSplit.splitId(partition));
    if (divergent.isEmpty() && offset >= logStart && offset <= logEnd) {
      return Position.of(offset);
    }
    if (offset < logStart && state != null && state.isPristine()) {
      LOG.info(
          "{} starts at {}, since retention passed its first choice {}",
          partition,
          logStart,
          offset);
      return Position.of(logStart);
    }
    // What is beyond the stop was not wanted, and is not lost.
    long stop = state == null ? KorpseSplit.NO_STOP_OFFSET : state.stopOffset();
    String what =
        offset < logStart
            ? "retention removed "
                + (Math.min(logStart, stop) - offset)
                + " records before they were read"
            : "the log was truncated or made anew below what was read";
    String found =
        "Data loss on "
            + partition
            + ": offset "
            + offset
            + " was to be read next, the log holds "
            + logStart
            + " to "
            + logEnd
            + (divergent.isPresent() ? " and diverged at " + divergent.getAsLong() : "")
            + "; "
            + what;
    if (policy == DataLossPolicy.FAIL) {
      throw new DataLossException(
          found
              + ". Choose with onDataLoss to go on at the earliest or the latest offset, or start"
              + " from other offsets");
    }
    long next = Math.min(next(offset, divergent, logStart, logEnd), stop);
    long lost = offset < logStart ? next - offset : 0;
    if (lost > 0 && state != null && state.lag() != null) {
      state.lag().observeSkipped(lost);
    }
    LOG.warn(
        "{}; goes on at {}, {} records are lost{}", found, next, lost, whenItEnds(state, logEnd));
    return Position.of(next);
  }

  /**
   * For the log: when a split with a stop ends. A stop that the log once reached is given up when
   * all is read ({@link UnreachableStops}); another one stays as it is, since the user may have
   * given it as a number that the log has yet to reach. Any thread; the stop may be a moment old.
   */
  static String whenItEnds(@Nullable KorpseSplitState state, long logEnd) {
    if (state == null
        || state.stopOffset() == KorpseSplit.NO_STOP_OFFSET
        || state.stopOffset() <= logEnd) {
      return "";
    }
    String stop =
        "; its stop offset "
            + state.stopOffset()
            + " is now "
            + (state.stopOffset() - logEnd)
            + " beyond the end of the log, and the split ends ";
    return state.stopSeen()
        ? stop + "when all that is there is read"
        : stop
            + "only when as many records were written: stop the job and start it from other"
            + " offsets if none will be";
  }

  private long next(long offset, OptionalLong divergent, long logStart, long logEnd) {
    if (offset < logStart) {
      return policy == DataLossPolicy.LATEST ? logEnd : logStart;
    }
    // The end is the last stable offset when reading committed, which may lie before what was read.
    return Math.max(logStart, divergent.orElse(Math.min(offset, logEnd)));
  }
}
