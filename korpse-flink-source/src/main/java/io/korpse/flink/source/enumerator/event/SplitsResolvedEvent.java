package io.korpse.flink.source.enumerator.event;

import io.korpse.flink.source.split.KorpseSplit;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.source.SourceEvent;

/**
 * Enumerator to reader: restored splits with offsets instead of markers, and with a stop offset
 * where the source has one and the state did not. For a split that was already readable only the
 * stop offset is new; its position may have moved meanwhile.
 */
public final class SplitsResolvedEvent implements SourceEvent {

  private static final long serialVersionUID = 1L;

  private final byte[][] splits;

  /** An event that brings resolved splits. */
  public SplitsResolvedEvent(Collection<KorpseSplit> splits) {
    this.splits = SplitCodec.encode(splits);
  }

  /** The splits, none of them {@link KorpseSplit#unresolved()}. */
  public List<KorpseSplit> splits() {
    return SplitCodec.decode(splits);
  }

  @Override
  public String toString() {
    return "SplitsResolved[" + splits.length + "]";
  }
}
