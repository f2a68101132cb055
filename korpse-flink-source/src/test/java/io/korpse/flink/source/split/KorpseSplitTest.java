package io.korpse.flink.source.split;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.offsets.Position;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

final class KorpseSplitTest {

  private static final TopicPartition PARTITION = new TopicPartition("flights", 3);

  /** Flink logs each split of each assignment at INFO. */
  @Test
  void is_short_where_it_is_logged() {
    KorpseSplit bounded = new KorpseSplit(PARTITION, Position.of(7), 90, new Uuid(1, 2), true);
    KorpseSplit endless =
        new KorpseSplit(
            PARTITION, Position.of(7), KorpseSplit.NO_STOP_OFFSET, Uuid.ZERO_UUID, false);

    assertThat(bounded).hasToString("flights-3:7..90");
    assertThat(endless).hasToString("flights-3:7");
    assertThat(
            KorpseSplit.ofPeer(
                PARTITION, new PeerOffsets(PeerOffsets.EARLIEST, PeerOffsets.NO_STOP)))
        .hasToString("flights-3:-2");
  }

  @Test
  void keeps_what_is_known_of_its_stop_with_another_topic_id() {
    KorpseSplit split =
        new KorpseSplit(PARTITION, Position.of(7), 90, Uuid.ZERO_UUID, true).withStopSeen(true);

    assertThat(split.withTopicId(new Uuid(1, 2)).stopSeen()).isTrue();
    assertThat(split).isNotEqualTo(split.withStopSeen(false));
  }
}
