package io.korpse.flink.source.reader;

import io.korpse.flink.source.reader.proxy.HandoverBatch;
import io.korpse.flink.source.reader.proxy.PollProxy;
import io.korpse.flink.source.reader.proxy.SplitListeners;
import io.korpse.flink.source.split.KorpseSplit;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Consumer;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsAddition;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsChange;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Puts a poll proxy behind Flink's interface. All calls but {@link #wakeUp()} come from the fetcher
 * thread; the proxy makes its consumer with the first split, on that thread.
 */
final class KorpseSplitReader implements SplitReader<ConsumerRecord<byte[], byte[]>, KorpseSplit> {

  private final PollProxy proxy;
  private final SplitListeners listeners;
  private final Consumer<HandoverBatch> beforeHandover;
  private final Duration closeTimeout;

  KorpseSplitReader(
      PollProxy proxy,
      SplitListeners listeners,
      Consumer<HandoverBatch> beforeHandover,
      Duration closeTimeout) {
    this.proxy = proxy;
    this.listeners = listeners;
    this.beforeHandover = beforeHandover;
    this.closeTimeout = closeTimeout;
  }

  @Override
  public HandoverBatch fetch() throws IOException {
    try {
      HandoverBatch batch = proxy.fetch();
      beforeHandover.accept(batch);
      return batch;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while fetching", e);
    }
  }

  @Override
  public void handleSplitsChanges(SplitsChange<KorpseSplit> change) {
    if (!(change instanceof SplitsAddition)) {
      throw new UnsupportedOperationException(
          "Splits leave by ProxyControl.finish, not by " + change.getClass().getSimpleName());
    }
    proxy.addSplits(change.splits(), listeners);
  }

  /** Pauses do not come this way, since Flink drops those of splits that are not yet added. */
  @Override
  public void pauseOrResumeSplits(
      Collection<KorpseSplit> splitsToPause, Collection<KorpseSplit> splitsToResume) {
    throw new UnsupportedOperationException("Splits are paused by ProxyControl");
  }

  @Override
  public void wakeUp() {
    proxy.wakeUp();
  }

  @Override
  public void close() {
    proxy.close(closeTimeout);
  }
}
