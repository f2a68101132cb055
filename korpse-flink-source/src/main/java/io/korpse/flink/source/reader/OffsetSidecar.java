package io.korpse.flink.source.reader;

import io.korpse.flink.source.CommitMode;
import io.korpse.flink.source.SourceSettings;
import io.korpse.offsets.Position;
import io.korpse.offsets.SharedAdmin;
import io.korpse.offsets.commit.CheckpointLedger;
import io.korpse.offsets.commit.CommitListener;
import io.korpse.offsets.commit.OffsetCommitter;
import io.korpse.offsets.lag.LagTracker;
import io.korpse.offsets.lag.PartitionLag;
import io.korpse.offsets.metrics.OffsetMetrics;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import javax.annotation.Nullable;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.kafka.common.TopicPartition;

/**
 * Commits and lag of one reader: what goes on beside the records and never behind them.
 *
 * <p>Task thread, but for the periodic commit, which has a thread of its own in that mode only.
 */
final class OffsetSidecar {

  private final CommitMode mode;
  private final boolean bounded;
  private final SplitStates states;
  private final Runnable flush;
  private final OffsetMetrics metrics;
  private final LagTracker lags;
  @Nullable private final OffsetCommitter committer;
  @Nullable private final ScheduledExecutorService timer;
  private final CheckpointLedger ledger = new CheckpointLedger();
  private final Map<TopicPartition, PartitionLag> tracked = new ConcurrentHashMap<>();

  private final FinishedPositions finished = new FinishedPositions();

  /** Where splits ended that left, until that is in the group. Any thread. */
  private final Map<TopicPartition, Position> leaving = new ConcurrentHashMap<>();

  /** The timer asks the task thread for a commit: only that one may have a handler flush. */
  private volatile boolean commitDue;

  private volatile Runnable onCommitDue = () -> {};
  private boolean snapshotTaken;
  private boolean ended;

  /** Guarded by this object: nothing comes from the timer after it. */
  private boolean closed;

  @Nullable private ScheduledFuture<?> periodic;

  /**
   * A sidecar of one reader.
   *
   * @param flush makes safe what was handed to the handler of bad records; task thread
   */
  OffsetSidecar(
      SourceSettings settings,
      SharedAdmin admin,
      SplitStates states,
      Runnable flush,
      OffsetMetrics metrics,
      String identity,
      String clientId,
      Clock clock) {
    this.mode = settings.commitMode();
    this.bounded = settings.boundedness() == Boundedness.BOUNDED;
    this.states = states;
    this.flush = flush;
    this.metrics = metrics;
    this.lags =
        LagTracker.builder()
            .admin(admin)
            .isolation(settings.isolation())
            .groupId(mode == CommitMode.DISABLED ? null : settings.groupId().orElseThrow())
            .expectedCommitInterval(mode == CommitMode.PERIODIC ? settings.commitInterval() : null)
            .interval(settings.lagInterval())
            .clock(clock)
            .threadName("korpse-lag-" + clientId)
            .build();
    metrics.bindLag(lags);
    if (mode == CommitMode.DISABLED) {
      committer = null;
      timer = null;
      return;
    }
    committer =
        OffsetCommitter.builder()
            .admin(admin)
            .groupId(settings.groupId().orElseThrow())
            .identity(identity)
            .clock(clock)
            .refreshInterval(settings.commitRefreshInterval())
            .threadName("korpse-committer-" + clientId)
            .listener(
                new CommitListener() {
                  @Override
                  public void committed(Map<TopicPartition, Position> positions) {
                    positions.forEach(OffsetSidecar.this::committed);
                  }
                })
            .build();
    metrics.bindCommits(committer.status());
    Runnable tick = settings.badRecordHandler().isPresent() ? this::commitIsDue : this::commitNow;
    timer =
        mode == CommitMode.PERIODIC ? startTimer(settings.commitInterval(), clientId, tick) : null;
  }

  private ScheduledExecutorService startTimer(Duration interval, String clientId, Runnable tick) {
    ScheduledExecutorService executor =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "korpse-periodic-commit-" + clientId);
              thread.setDaemon(true);
              return thread;
            });
    periodic =
        executor.scheduleWithFixedDelay(
            tick, interval.toMillis(), interval.toMillis(), TimeUnit.MILLISECONDS);
    return executor;
  }

  /** On the timer's thread. */
  private synchronized void commitNow() {
    if (!closed) {
      committer.submit(-1, states.positions());
    }
  }

  /** On the timer's thread. */
  private void commitIsDue() {
    commitDue = true;
    onCommitDue.run();
  }

  /** What makes the task thread call {@link #commitIfDue()}, also when it has nothing to do. */
  void onCommitDue(Runnable wake) {
    onCommitDue = wake;
  }

  /** Commits for the timer, where that may not itself. */
  void commitIfDue() {
    if (commitDue) {
      commitDue = false;
      commitEmitted(states.positions());
    }
  }

  /** Without a checkpoint. Bad records before these positions are safe first. */
  private void commitEmitted(Map<TopicPartition, Position> positions) {
    flush.run();
    committer.submit(-1, positions);
  }

  /** On the committer's thread. */
  private void committed(TopicPartition partition, Position position) {
    if (leaving.remove(partition, position)) {
      // What is not read any more is not this job's to defend against others, or to keep alive.
      committer.remove(List.of(partition));
    }
    PartitionLag lag = tracked.get(partition);
    if (lag != null) {
      lag.observeCommitted(position);
    }
  }

  LagTracker lags() {
    return lags;
  }

  void splitAdded(KorpseSplitState state) {
    PartitionLag lag = lags.track(state.partition(), state::offset, state::wantedUntil);
    state.watch(lag, this::steppedBack);
    startsAnew(state.partition());
    tracked.put(state.partition(), lag);
    metrics.bind(lag);
    ProxyMetrics.register(metrics.partitionGroup(state.partition()), state.stats());
  }

  void splitFinished(KorpseSplitState state) {
    TopicPartition partition = state.partition();
    Position position = state.position();
    if (position != null && committer != null) {
      finished.put(partition, position);
      leaving.put(partition, position);
      if (mode == CommitMode.PERIODIC) {
        commitEmitted(Map.of(partition, position));
      }
      if (committer.status().committed(partition).filter(position::equals).isPresent()) {
        committed(partition, position);
      }
    }
    metrics.unbind(partition);
    lags.untrack(partition);
    tracked.remove(partition);
  }

  /**
   * The position of a split went back, since the log of its partition was cut. What checkpoints
   * before hold is beyond the log now, and the committer would leave the lower position out.
   */
  private void steppedBack(TopicPartition partition) {
    forgetPositions(partition);
  }

  /**
   * A split of the partition may have been here before, as of a topic that was created again. Where
   * that one was is no bound for this one.
   */
  private void startsAnew(TopicPartition partition) {
    leaving.remove(partition);
    finished.remove(partition);
    forgetPositions(partition);
  }

  private void forgetPositions(TopicPartition partition) {
    if (committer != null) {
      ledger.forget(partition);
      committer.remove(List.of(partition));
    }
  }

  /** The splits that go into a checkpoint, with those that finished since the last complete one. */
  void snapshot(long checkpointId) {
    snapshotTaken = true;
    if (!mode.onCheckpoints()) {
      finished.clear();
      return;
    }
    Map<TopicPartition, Position> positions = states.positions();
    finished.snapshot(checkpointId, positions);
    ledger.snapshot(checkpointId, positions);
  }

  void complete(long checkpointId) {
    if (!mode.onCheckpoints()) {
      return;
    }
    ledger.complete(checkpointId).ifPresent(positions -> committer.submit(checkpointId, positions));
    finished.complete(checkpointId);
  }

  void abort(long checkpointId) {
    ledger.abort(checkpointId);
  }

  /**
   * The input is over. Whether a checkpoint follows a reader cannot know: Flink takes one when
   * checkpoints are on, and then a failure before it must not find the positions in the group.
   */
  void endOfInput() {
    ended = true;
    boolean first = !snapshotTaken;
    if (mode == CommitMode.PERIODIC || (mode == CommitMode.ON_CHECKPOINT_OR_END && first)) {
      Map<TopicPartition, Position> last = states.positions();
      finished.addTo(last);
      commitEmitted(last);
    }
  }

  /**
   * Commits what was submitted and is not in the group yet. Not so the periodic commits of a
   * bounded reader that is closed before its end: another attempt of it may be through, and has
   * committed more, as in a batch job with speculative execution.
   */
  void close(Duration timeout) {
    if (timer != null) {
      periodic.cancel(true);
      timer.shutdownNow();
      synchronized (this) {
        closed = true;
      }
      if (bounded && !ended) {
        committer.remove(List.copyOf(tracked.keySet()));
      }
    }
    if (committer != null) {
      committer.close(timeout);
    }
    lags.close();
    metrics.close();
  }
}
