package io.korpse.flink.source.enumerator.event;

import io.korpse.flink.source.split.KorpseSplit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.kafka.common.TopicPartition;

/**
 * What a reader tells the enumerator. Confined to the task thread.
 *
 * <p>Use: {@link #restored} for every split that comes through {@code addSplits} before {@code
 * start()}, {@link #started} in {@code start()}, {@link #finished} from {@code onSplitFinished}.
 * Answers come to {@code handleSourceEvents} as {@link SplitsResolvedEvent} and {@link
 * SplitsRemovedEvent}.
 */
public final class EnumeratorLink {

  private final SourceReaderContext context;
  private final List<KorpseSplit> restored = new ArrayList<>();
  private boolean started;

  /** A link that has sent nothing yet. */
  public EnumeratorLink(SourceReaderContext context) {
    this.context = context;
  }

  /** Remembers splits for the report; those that come after the start are known already. */
  public void restored(Collection<KorpseSplit> splits) {
    if (!started) {
      restored.addAll(splits);
    }
  }

  /** Reports what was restored. */
  public void started() {
    if (!started) {
      started = true;
      context.sendSourceEventToCoordinator(new SplitsRestoredEvent(restored));
      restored.clear();
    }
  }

  /** Reports splits that the reader no longer has. */
  public void finished(Collection<TopicPartition> partitions) {
    if (!partitions.isEmpty()) {
      context.sendSourceEventToCoordinator(new SplitsFinishedEvent(partitions));
    }
  }
}
