package io.korpse.flink.jobs.bench;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** Another source, with a note of when Flink pauses and resumes its splits. */
record WatchedSource<T, S extends SourceSplit, E>(Source<T, S, E> source, TypeInformation<T> type)
    implements Source<T, S, E>, ResultTypeQueryable<T> {

  private static final AtomicInteger PAUSES = new AtomicInteger();
  private static volatile long resumedNanos;

  static <T, S extends SourceSplit, E> WatchedSource<T, S, E> of(
      Source<T, S, E> source, TypeInformation<T> type) {
    return new WatchedSource<>(source, type);
  }

  /** How many times a split was paused in this JVM. */
  static int pauses() {
    return PAUSES.get();
  }

  /** When a split was last resumed, by the monotonic clock. */
  static long resumedNanos() {
    return resumedNanos;
  }

  @Override
  public TypeInformation<T> getProducedType() {
    return type;
  }

  @Override
  public Boundedness getBoundedness() {
    return source.getBoundedness();
  }

  @Override
  public SourceReader<T, S> createReader(SourceReaderContext context) throws Exception {
    return new Reader<>(source.createReader(context));
  }

  @Override
  public SplitEnumerator<S, E> createEnumerator(SplitEnumeratorContext<S> context)
      throws Exception {
    return source.createEnumerator(context);
  }

  @Override
  public SplitEnumerator<S, E> restoreEnumerator(SplitEnumeratorContext<S> context, E checkpoint)
      throws Exception {
    return source.restoreEnumerator(context, checkpoint);
  }

  @Override
  public SimpleVersionedSerializer<S> getSplitSerializer() {
    return source.getSplitSerializer();
  }

  @Override
  public SimpleVersionedSerializer<E> getEnumeratorCheckpointSerializer() {
    return source.getEnumeratorCheckpointSerializer();
  }

  @SuppressWarnings("try") // close() throws what the reader throws
  private record Reader<T, S extends SourceSplit>(SourceReader<T, S> reader)
      implements SourceReader<T, S> {

    @Override
    public void pauseOrResumeSplits(Collection<String> toPause, Collection<String> toResume) {
      if (!toResume.isEmpty()) {
        resumedNanos = System.nanoTime();
      }
      reader.pauseOrResumeSplits(toPause, toResume);
      PAUSES.addAndGet(toPause.size());
    }

    @Override
    public void start() {
      reader.start();
    }

    @Override
    public InputStatus pollNext(ReaderOutput<T> output) throws Exception {
      return reader.pollNext(output);
    }

    @Override
    public List<S> snapshotState(long checkpointId) {
      return reader.snapshotState(checkpointId);
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
      return reader.isAvailable();
    }

    @Override
    public void addSplits(List<S> splits) {
      reader.addSplits(splits);
    }

    @Override
    public void notifyNoMoreSplits() {
      reader.notifyNoMoreSplits();
    }

    @Override
    public void handleSourceEvents(SourceEvent event) {
      reader.handleSourceEvents(event);
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
      reader.notifyCheckpointComplete(checkpointId);
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) throws Exception {
      reader.notifyCheckpointAborted(checkpointId);
    }

    @Override
    public void close() throws Exception {
      reader.close();
    }
  }
}
