package io.korpse.flink.source.enumerator.event;

import io.korpse.flink.source.split.KorpseSplit;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.source.SourceEvent;

/**
 * Reader to enumerator, once when the reader starts and before anything else it sends: the splits
 * that its state held, which may be none. The enumerator then knows how much each reader has, and
 * answers with a {@link SplitsResolvedEvent} for those that it can complete.
 */
public final class SplitsRestoredEvent implements SourceEvent {

  private static final long serialVersionUID = 1L;

  private final byte[][] splits;

  /** An event that says which splits were restored. */
  public SplitsRestoredEvent(Collection<KorpseSplit> splits) {
    this.splits = SplitCodec.encode(splits);
  }

  /** The splits as they were restored. */
  public List<KorpseSplit> splits() {
    return SplitCodec.decode(splits);
  }

  @Override
  public String toString() {
    return "SplitsRestored[" + splits.length + "]";
  }
}
