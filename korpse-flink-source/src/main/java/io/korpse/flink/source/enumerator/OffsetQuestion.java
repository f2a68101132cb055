package io.korpse.flink.source.enumerator;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.flink.source.split.PeerOffsets;
import io.korpse.offsets.OffsetRule;
import io.korpse.offsets.Position;
import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * What is still to be known of one partition before it can be read.
 *
 * @param start rule to find the start by; null when {@code position} is known
 * @param position known start; null when there is a rule
 * @param stop rule to find the stop by; null when {@code stopOffset} counts
 * @param pristine whether a known start may follow the log start
 */
record OffsetQuestion(
    TopicPartition partition,
    Uuid topicId,
    @Nullable OffsetRule start,
    @Nullable Position position,
    @Nullable OffsetRule stop,
    long stopOffset,
    boolean pristine) {

  /** About a partition that was discovered. */
  static OffsetQuestion discovered(
      TopicPartition partition, Uuid topicId, OffsetRule start, @Nullable OffsetRule stop) {
    return new OffsetQuestion(
        partition, topicId, start, null, stop, KorpseSplit.NO_STOP_OFFSET, false);
  }

  /** About a split out of a state, if anything of it is not known. */
  static Optional<OffsetQuestion> restored(KorpseSplit split, OffsetRules rules) {
    PeerOffsets peer = split.unresolved().orElse(null);
    if (peer == null) {
      if (split.stopOffset() != KorpseSplit.NO_STOP_OFFSET || rules.stop() == null) {
        return Optional.empty();
      }
      return Optional.of(
          new OffsetQuestion(
              split.partition(),
              split.topicId(),
              null,
              split.position(),
              rules.stop(),
              KorpseSplit.NO_STOP_OFFSET,
              split.pristine()));
    }
    boolean starts = peer.start() >= 0;
    boolean stops = peer.stop() >= 0;
    return Optional.of(
        new OffsetQuestion(
            split.partition(),
            split.topicId(),
            starts ? null : rules.startOf(peer.start()),
            starts ? Position.of(peer.start()) : null,
            stops ? null : rules.stopOf(peer.stop()),
            stops ? peer.stop() : KorpseSplit.NO_STOP_OFFSET,
            false));
  }
}
