package io.korpse.flink.jobs.bench;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * A source without splits that never has anything and never ends: what an idle Flink job itself
 * costs.
 */
final class IdleSource implements Source<byte[], IdleSource.NoSplit, byte[]> {

  record NoSplit(String splitId) implements SourceSplit {}

  @Override
  public Boundedness getBoundedness() {
    return Boundedness.CONTINUOUS_UNBOUNDED;
  }

  @Override
  public SourceReader<byte[], NoSplit> createReader(SourceReaderContext context) {
    return new Reader();
  }

  @Override
  public SplitEnumerator<NoSplit, byte[]> createEnumerator(
      SplitEnumeratorContext<NoSplit> context) {
    return new Enumerator();
  }

  @Override
  public SplitEnumerator<NoSplit, byte[]> restoreEnumerator(
      SplitEnumeratorContext<NoSplit> context, byte[] checkpoint) {
    return new Enumerator();
  }

  @Override
  public SimpleVersionedSerializer<NoSplit> getSplitSerializer() {
    return new SimpleVersionedSerializer<>() {
      @Override
      public int getVersion() {
        return 1;
      }

      @Override
      public byte[] serialize(NoSplit split) {
        return new byte[0];
      }

      @Override
      public NoSplit deserialize(int version, byte[] serialized) {
        return new NoSplit("none");
      }
    };
  }

  @Override
  public SimpleVersionedSerializer<byte[]> getEnumeratorCheckpointSerializer() {
    return new SimpleVersionedSerializer<>() {
      @Override
      public int getVersion() {
        return 1;
      }

      @Override
      public byte[] serialize(byte[] checkpoint) {
        return checkpoint;
      }

      @Override
      public byte[] deserialize(int version, byte[] serialized) {
        return serialized;
      }
    };
  }

  private static final class Reader implements SourceReader<byte[], NoSplit> {

    private final CompletableFuture<Void> never = new CompletableFuture<>();

    @Override
    public void start() {}

    @Override
    public InputStatus pollNext(ReaderOutput<byte[]> output) {
      return InputStatus.NOTHING_AVAILABLE;
    }

    @Override
    public List<NoSplit> snapshotState(long checkpointId) {
      return List.of();
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
      return never;
    }

    @Override
    public void addSplits(List<NoSplit> splits) {}

    @Override
    public void notifyNoMoreSplits() {}

    @Override
    public void close() {}
  }

  private static final class Enumerator implements SplitEnumerator<NoSplit, byte[]> {

    @Override
    public void start() {}

    @Override
    public void handleSplitRequest(int subtaskId, String requesterHostname) {}

    @Override
    public void addSplitsBack(List<NoSplit> splits, int subtaskId) {}

    @Override
    public void addReader(int subtaskId) {}

    @Override
    public byte[] snapshotState(long checkpointId) {
      return new byte[0];
    }

    @Override
    public void close() {}
  }
}
