package io.korpse.flink.source.reader;

import io.korpse.flink.source.enumerator.event.EnumeratorLink;
import io.korpse.flink.source.enumerator.event.NothingToReadEvent;
import io.korpse.flink.source.enumerator.event.SplitsRemovedEvent;
import io.korpse.flink.source.enumerator.event.SplitsResolvedEvent;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import javax.annotation.Nullable;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.source.reader.RecordEvaluator;
import org.apache.flink.connector.base.source.reader.SourceReaderBase;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.util.IOUtils;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The reader of one subtask. All methods are called by the task thread. */
@SuppressWarnings("try") // close() may throw anything, as Flink declares it
final class KorpseSourceReader<T>
    extends SourceReaderBase<ConsumerRecord<byte[], byte[]>, T, KorpseSplit, KorpseSplitState> {

  private static final Logger LOG = LoggerFactory.getLogger(KorpseSourceReader.class);

  private final ReaderParts<T> parts;
  private final KorpseFetcherManager fetcher;
  private final EnumeratorLink enumerator;
  @Nullable private final RateLimit rateLimit;
  @Nullable private CompletableFuture<Void> permitted;
  private boolean ended;
  private boolean nothingToRead;

  KorpseSourceReader(
      ReaderParts<T> parts,
      KorpseFetcherManager fetcher,
      KorpseRecordEmitter<T> emitter,
      RecordEvaluator<T> endOfStreamOrNull,
      Configuration configuration,
      SourceReaderContext context) {
    super(fetcher, emitter, endOfStreamOrNull, configuration, context);
    this.parts = parts;
    this.fetcher = fetcher;
    this.enumerator = new EnumeratorLink(context);
    this.rateLimit = parts.rateLimit().orElse(null);
    parts.sidecar().onCommitDue(fetcher.getQueue()::notifyAvailable);
    parts.stops().onDue(fetcher.getQueue()::notifyAvailable);
  }

  @Override
  public void start() {
    enumerator.started();
  }

  @Override
  public InputStatus pollNext(ReaderOutput<T> output) throws Exception {
    // A failure of the proxy must not wait until what was handed over before it is emitted.
    fetcher.checkErrors();
    if (nothingToRead && getNumberOfCurrentlyAssignedSplits() == 0) {
      nothingToRead = false;
      IdleReader.mark(output);
    }
    parts.sidecar().commitIfDue();
    parts.stops().applyDue();
    permitted = null;
    if (rateLimit != null && !rateLimit.permits()) {
      permitted = rateLimit.available();
      return InputStatus.NOTHING_AVAILABLE;
    }
    InputStatus status = super.pollNext(output);
    if (status == InputStatus.END_OF_INPUT && !ended) {
      ended = true;
      parts.sidecar().endOfInput();
    }
    return status;
  }

  @Override
  public CompletableFuture<Void> isAvailable() {
    return permitted != null ? permitted : super.isAvailable();
  }

  // ---- splits

  @Override
  public void addSplits(List<KorpseSplit> splits) {
    nothingToRead = false;
    enumerator.restored(splits);
    super.addSplits(splits);
  }

  @Override
  protected KorpseSplitState initializedState(KorpseSplit split) {
    KorpseSplitState state = new KorpseSplitState(split);
    parts.states().put(split.splitId(), state);
    parts.sidecar().splitAdded(state);
    return state;
  }

  @Override
  protected KorpseSplit toSplitType(String splitId, KorpseSplitState state) {
    return state.toSplit();
  }

  @Override
  protected void onSplitFinished(Map<String, KorpseSplitState> finished) {
    List<TopicPartition> partitions = new ArrayList<>();
    finished.forEach(
        (splitId, state) -> {
          parts.states().remove(splitId);
          parts.control().forget(splitId);
          parts.alignment().forget(splitId);
          parts.sidecar().splitFinished(state);
          partitions.add(state.partition());
        });
    enumerator.finished(partitions);
  }

  @Override
  public void pauseOrResumeSplits(
      Collection<String> splitsToPause, Collection<String> splitsToResume) {
    parts.alignment().pausedOrResumed(splitsToPause, splitsToResume);
    parts.control().pauseOrResume(splitsToPause, splitsToResume);
  }

  @Override
  public void handleSourceEvents(SourceEvent event) {
    if (event instanceof SplitsResolvedEvent resolved) {
      resolved.splits().forEach(this::resolved);
    } else if (event instanceof SplitsRemovedEvent removed) {
      removed.partitions().forEach(partition -> removed(partition, removed.reason()));
    } else if (event instanceof NothingToReadEvent) {
      nothingToRead = true;
      fetcher.getQueue().notifyAvailable();
    } else {
      LOG.warn("Ignored the unknown event {}", event);
    }
  }

  private void resolved(KorpseSplit split) {
    KorpseSplitState state = parts.states().get(split.splitId());
    if (state == null) {
      return;
    }
    if (fetcher.takeApart(split.splitId())) {
      state.resolve(split);
      fetcher.letIn(split);
    } else if (split.stopOffset() < state.stopOffset()) {
      state.stopAs(split);
      parts.control().stopAt(split.splitId(), split.stopOffset());
    }
  }

  private void removed(TopicPartition partition, String reason) {
    String splitId = KorpseSplit.splitId(partition);
    KorpseSplitState state = parts.states().get(splitId);
    if (state == null) {
      return;
    }
    LOG.info("Leaves {}: {}", partition, reason);
    long at = Math.max(0, state.offset());
    if (fetcher.takeApart(splitId)) {
      // Nothing of it was read: an empty split is added, so that it finishes in the usual way.
      KorpseSplit empty =
          new KorpseSplit(partition, Position.of(at), at, state.toSplit().topicId(), false);
      state.resolve(empty);
      fetcher.letIn(empty);
    } else {
      state.stopAt(at);
      parts.control().finish(splitId);
    }
  }

  // ---- checkpoints

  @Override
  public List<KorpseSplit> snapshotState(long checkpointId) {
    parts.badRecords().flush();
    parts.sidecar().snapshot(checkpointId);
    return super.snapshotState(checkpointId);
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) throws Exception {
    super.notifyCheckpointComplete(checkpointId);
    parts.sidecar().complete(checkpointId);
  }

  @Override
  public void notifyCheckpointAborted(long checkpointId) {
    parts.sidecar().abort(checkpointId);
  }

  // ---- the end

  @Override
  public void close() throws Exception {
    try {
      super.close();
    } finally {
      try {
        parts.unreadable().close();
        parts.sidecar().close(parts.closeTimeout());
      } finally {
        parts.states().clear();
        closeUserCode();
      }
    }
  }

  private void closeUserCode() throws Exception {
    IOUtils.closeAll(userCode(), Throwable.class);
  }

  private List<AutoCloseable> userCode() {
    List<AutoCloseable> all = new ArrayList<>();
    all.add(parts.badRecords()::close);
    parts.schemas().forEach(schema -> all.add(schema::close));
    return all;
  }
}
