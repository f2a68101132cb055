package io.korpse.flink.source.enumerator;

import static io.korpse.flink.source.enumerator.EnumeratorFixture.ID;
import static io.korpse.flink.source.enumerator.EnumeratorFixture.t;
import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.OffsetRule;
import io.korpse.offsets.Position;
import java.util.List;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumStateSerializer;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

/** An enumerator that is restored from what flink-connector-kafka wrote. */
final class PeerStateTest {

  private final EnumeratorFixture fixture = new EnumeratorFixture();

  @Test
  void what_the_peer_had_not_assigned_yet_is_given_with_its_own_start() throws Exception {
    fixture.cluster.topic("t", 3, ID);
    KafkaSourceEnumStateSerializer peer = new KafkaSourceEnumStateSerializer();
    byte[] stored =
        peer.serialize(
            new KafkaSourceEnumState(
                List.of(new KafkaPartitionSplit(t(0), 7)),
                List.of(
                    new KafkaPartitionSplit(t(1), 44),
                    new KafkaPartitionSplit(t(2), KafkaPartitionSplit.EARLIEST_OFFSET)),
                true));

    fixture
        .rules(OffsetRule.latest(), OffsetRule.latest(), null)
        .restore(1, new EnumeratorStateSerializer().deserialize(peer.getVersion(), stored))
        .reader(0, start(0, 7, false));

    assertThat(fixture.context.allAssigned())
        .extracting(split -> split.withTopicId(Uuid.ZERO_UUID))
        .containsExactlyInAnyOrder(start(1, 44, false), start(2, 10, true));
  }

  private static KorpseSplit start(int partition, long offset, boolean pristine) {
    return new KorpseSplit(
        t(partition), Position.of(offset), KorpseSplit.NO_STOP_OFFSET, Uuid.ZERO_UUID, pristine);
  }
}
