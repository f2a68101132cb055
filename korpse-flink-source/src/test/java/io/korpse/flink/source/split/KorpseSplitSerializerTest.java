package io.korpse.flink.source.split;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.offsets.Position;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplitSerializer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class KorpseSplitSerializerTest {

  private static final TopicPartition PARTITION = new TopicPartition("flights", 3);

  private final KorpseSplitSerializer serializer = new KorpseSplitSerializer();

  @Test
  void reads_what_it_wrote() throws IOException {
    KorpseSplit split =
        new KorpseSplit(PARTITION, new Position(17, 4), 100, new Uuid(11, 22), true);

    assertThat(serializer.deserialize(serializer.getVersion(), serializer.serialize(split)))
        .isEqualTo(split);
  }

  @Test
  void reads_the_stored_bytes_of_version_1() throws IOException {
    byte[] stored =
        HexFormat.of()
            .parseHex(
                "0007666c6967687473"
                    + "00000003"
                    + "0000000000000011"
                    + "0000000000000064"
                    + "01"
                    + "00000004"
                    + "000000000000000b"
                    + "0000000000000016");

    assertThat(serializer.deserialize(0x4B500001, stored))
        .isEqualTo(new KorpseSplit(PARTITION, new Position(17, 4), 100, new Uuid(11, 22), true));
  }

  /** The flag came later; bytes without it say that nothing is known. */
  @Test
  void reads_the_stored_bytes_of_version_1_with_a_stop_that_was_seen() throws IOException {
    byte[] stored =
        HexFormat.of()
            .parseHex(
                "0007666c6967687473"
                    + "00000003"
                    + "0000000000000011"
                    + "0000000000000064"
                    + "02"
                    + "00000004"
                    + "000000000000000b"
                    + "0000000000000016");
    KorpseSplit split =
        new KorpseSplit(PARTITION, new Position(17, 4), 100, new Uuid(11, 22), false)
            .withStopSeen(true);

    assertThat(serializer.deserialize(0x4B500001, stored)).isEqualTo(split);
    assertThat(serializer.serialize(split)).isEqualTo(stored);
  }

  @Test
  void reads_the_stored_bytes_of_version_1_with_markers_of_the_peer() throws IOException {
    byte[] stored =
        HexFormat.of()
            .parseHex(
                "0007666c6967687473"
                    + "00000003"
                    + "fffffffffffffffd"
                    + "0000000000000032"
                    + "00"
                    + "ffffffff"
                    + "000000000000000b"
                    + "0000000000000016");
    KorpseSplit split =
        KorpseSplit.ofPeer(PARTITION, new PeerOffsets(PeerOffsets.COMMITTED, 50))
            .withTopicId(new Uuid(11, 22));

    assertThat(serializer.deserialize(0x4B500001, stored)).isEqualTo(split);
    assertThat(serializer.serialize(split)).isEqualTo(stored);
  }

  @Test
  void reads_the_stored_bytes_of_version_1_without_a_stop() throws IOException {
    byte[] stored =
        HexFormat.of()
            .parseHex(
                "0007666c6967687473"
                    + "00000003"
                    + "0000000000000011"
                    + "8000000000000000"
                    + "00"
                    + "00000004"
                    + "000000000000000b"
                    + "0000000000000016");
    KorpseSplit split =
        new KorpseSplit(
            PARTITION, new Position(17, 4), KorpseSplit.NO_STOP_OFFSET, new Uuid(11, 22), false);

    assertThat(serializer.deserialize(0x4B500001, stored)).isEqualTo(split);
    assertThat(serializer.serialize(split)).isEqualTo(stored);
  }

  /** Stored, so that it holds whatever the peer's library writes by then. */
  @ParameterizedTest
  @CsvSource({
    "0000000000000011, 0000000000000064, 17, 100",
    "fffffffffffffffd, 8000000000000000, -3, -9223372036854775808"
  })
  void reads_the_stored_bytes_of_the_peer(
      String storedStart, String storedStop, long start, long stop) throws IOException {
    byte[] stored =
        HexFormat.of().parseHex("0007666c6967687473" + "00000003" + storedStart + storedStop);

    assertThat(serializer.deserialize(0, stored))
        .isEqualTo(KorpseSplit.ofPeer(PARTITION, new PeerOffsets(start, stop)));
  }

  @Test
  void keeps_the_markers_of_a_split_that_is_not_resolved() throws IOException {
    KorpseSplit split = KorpseSplit.ofPeer(PARTITION, new PeerOffsets(PeerOffsets.COMMITTED, 50));

    KorpseSplit read = serializer.deserialize(serializer.getVersion(), serializer.serialize(split));

    assertThat(read).isEqualTo(split);
    assertThat(read.unresolved()).contains(new PeerOffsets(PeerOffsets.COMMITTED, 50));
    assertThatThrownBy(read::position).hasMessageContaining("flights-3");
  }

  @ParameterizedTest
  @CsvSource({"0", "12345678901"})
  void reads_an_offset_that_the_peer_wrote(long offset) throws IOException {
    KorpseSplit read = readPeer(new KafkaPartitionSplit(PARTITION, offset, offset + 5));

    assertThat(read.position()).isEqualTo(Position.of(offset));
    assertThat(read.stopOffset()).isEqualTo(offset + 5);
    assertThat(read.topicId()).isEqualTo(Uuid.ZERO_UUID);
  }

  @ParameterizedTest
  @CsvSource({"-1", "-2", "-3"})
  void reads_a_marker_that_the_peer_wrote(long marker) throws IOException {
    KorpseSplit read = readPeer(new KafkaPartitionSplit(PARTITION, marker));

    assertThat(read.unresolved()).contains(new PeerOffsets(marker, PeerOffsets.NO_STOP));
  }

  @Test
  void reads_a_peers_split_without_a_stop() throws IOException {
    assertThat(readPeer(new KafkaPartitionSplit(PARTITION, 7)).stopOffset())
        .isEqualTo(KorpseSplit.NO_STOP_OFFSET);
  }

  @Test
  void a_stop_marker_leaves_the_split_unresolved() throws IOException {
    assertThat(readPeer(new KafkaPartitionSplit(PARTITION, 7, -1)).unresolved())
        .contains(new PeerOffsets(7, PeerOffsets.LATEST));
  }

  @ParameterizedTest
  @CsvSource({"17, 100", "17, -1", "-2, 100", "-3, -3"})
  void what_it_writes_can_be_read_by_the_peer(long start, long stop) throws IOException {
    KorpseSplit split = KorpseSplit.ofPeer(PARTITION, new PeerOffsets(start, stop));

    assertThat(peerReads(split)).isEqualTo(new KafkaPartitionSplit(PARTITION, start, stop));
  }

  @Test
  void the_peer_reads_a_split_with_epoch_and_topic_id_and_without_a_stop() throws IOException {
    KorpseSplit split =
        new KorpseSplit(
            PARTITION, new Position(17, 4), KorpseSplit.NO_STOP_OFFSET, new Uuid(11, 22), true);

    assertThat(peerReads(split)).isEqualTo(new KafkaPartitionSplit(PARTITION, 17));
    assertThat(serializer.deserialize(serializer.getVersion(), serializer.serialize(split)))
        .isEqualTo(split);
  }

  @Test
  void says_that_bytes_are_damaged_whatever_is_wrong_with_them() throws IOException {
    byte[] whole =
        serializer.serialize(
            new KorpseSplit(PARTITION, new Position(17, 4), 100, new Uuid(11, 22), true));
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> serializer.deserialize(serializer.getVersion(), cut))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("damaged");
    }
    Random random = new Random(7);
    for (int i = 0; i < 5_000; i++) {
      byte[] changed = whole.clone();
      changed[random.nextInt(changed.length)] = (byte) random.nextInt();
      try {
        assertThat(serializer.deserialize(serializer.getVersion(), changed)).isNotNull();
      } catch (IOException e) {
        assertThat(e).hasMessageStartingWith("The split state");
      }
    }
  }

  @Test
  void refuses_a_newer_version_by_name() {
    assertThatThrownBy(() -> serializer.deserialize(0x4B500002, new byte[0]))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("newer Korpse")
        .hasMessageContaining("0x4B500002");
  }

  @Test
  void refuses_an_unknown_version_of_the_peer_by_name() {
    assertThatThrownBy(() -> serializer.deserialize(1, new byte[0]))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("version 1")
        .hasMessageContaining("Flink's own Kafka connector");
  }

  private KafkaPartitionSplit peerReads(KorpseSplit split) throws IOException {
    return new KafkaPartitionSplitSerializer()
        .deserialize(serializer.getVersion(), serializer.serialize(split));
  }

  private KorpseSplit readPeer(KafkaPartitionSplit split) throws IOException {
    KafkaPartitionSplitSerializer peer = new KafkaPartitionSplitSerializer();
    return serializer.deserialize(peer.getVersion(), peer.serialize(split));
  }
}
