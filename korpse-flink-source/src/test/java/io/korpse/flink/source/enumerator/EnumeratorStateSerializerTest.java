package io.korpse.flink.source.enumerator;

import static io.korpse.flink.source.enumerator.EnumeratorFixture.ID;
import static io.korpse.flink.source.enumerator.EnumeratorFixture.OTHER_ID;
import static io.korpse.flink.source.enumerator.EnumeratorFixture.t;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.flink.source.split.PeerOffsets;
import io.korpse.offsets.Position;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.flink.connector.base.source.utils.SerdeUtils;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumStateSerializer;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplitSerializer;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class EnumeratorStateSerializerTest {

  private static final EnumeratorState STATE =
      new EnumeratorState(
          Map.of(t(0), ID, t(1), Uuid.ZERO_UUID),
          List.of(new KorpseSplit(t(2), new Position(7, 2), 9, OTHER_ID, true)),
          Set.of(t(3)),
          true,
          true);

  private final EnumeratorStateSerializer serializer = new EnumeratorStateSerializer();

  @Test
  void reads_what_it_wrote() throws IOException {
    assertThat(readBack(STATE)).isEqualTo(STATE);
    assertThat(readBack(EnumeratorState.empty())).isEqualTo(EnumeratorState.empty());
  }

  @Test
  void reads_the_stored_bytes_of_format_1() throws IOException {
    String split =
        "000174"
            + "00000002"
            + "0000000000000007"
            + "0000000000000009"
            + "01"
            + "00000002"
            + "00000000000000020000000000000002";
    String stored = "00000001" + "4b508001" + "0000002c" + split + "00000001" + "01";

    EnumeratorState state = serializer.deserialize(3, HexFormat.of().parseHex(stored));

    assertThat(state).isEqualTo(new EnumeratorState(Map.of(), STATE.ready(), Set.of(), true, true));
  }

  /** A given partition has the peer's marker for the log start, a waiting one "not stored". */
  @Test
  void reads_the_stored_bytes_of_format_1_with_partitions_in_each_place() throws IOException {
    byte[] stored =
        HexFormat.of()
            .parseHex(
                "000000034b500001"
                    + "0000002c00017400000000fffffffffffffffe8000000000000000"
                    + "00ffffffff0000000000000001000000000000000100000000"
                    + "0000002c0001740000000200000000000000070000000000000009"
                    + "01000000020000000000000002000000000000000200000001"
                    + "0000002c0001740000000380000000000000008000000000000000"
                    + "00ffffffff0000000000000000000000000000000000000001"
                    + "00");
    EnumeratorState state =
        new EnumeratorState(Map.of(t(0), ID), STATE.ready(), Set.of(t(3)), false, false);

    assertThat(serializer.deserialize(3, stored)).isEqualTo(state);
    assertThat(serializer.serialize(state)).isEqualTo(stored);
  }

  @Test
  void reads_the_stored_bytes_of_format_1_with_markers_of_the_peer() throws IOException {
    byte[] stored =
        HexFormat.of()
            .parseHex(
                "000000014b500001"
                    + "0000002c00017400000001000000000000002cffffffffffffffff"
                    + "00ffffffff0000000000000001000000000000000100000001"
                    + "01");
    KorpseSplit split =
        KorpseSplit.ofPeer(t(1), new PeerOffsets(44, PeerOffsets.LATEST)).withTopicId(ID);
    EnumeratorState state = new EnumeratorState(Map.of(), List.of(split), Set.of(), true, false);

    assertThat(serializer.deserialize(3, stored)).isEqualTo(state);
    assertThat(serializer.serialize(state)).isEqualTo(stored);
  }

  /** Stored, so that it holds whatever the peer's library writes by then. */
  @Test
  void reads_the_stored_bytes_of_version_3_of_the_peer() throws IOException {
    String stored =
        "0000000200000000"
            + "0000001700017400000001000000000000002c800000000000000000000001"
            + "0000001700017400000000fffffffffffffffe800000000000000000000000"
            + "01";

    assertThat(serializer.deserialize(3, HexFormat.of().parseHex(stored)))
        .isEqualTo(
            new EnumeratorState(
                Map.of(t(0), Uuid.ZERO_UUID),
                List.of(KorpseSplit.ofPeer(t(1), new PeerOffsets(44, PeerOffsets.NO_STOP))),
                Set.of(),
                true,
                false));
  }

  @Test
  void reads_the_stored_bytes_of_version_0_of_the_peer() throws IOException {
    String stored =
        "0000000100000000"
            + "0000000000000001"
            + "0000001700017400000000"
            + "00000000000000038000000000000000";

    assertThat(serializer.deserialize(0, HexFormat.of().parseHex(stored)))
        .isEqualTo(
            new EnumeratorState(Map.of(t(0), Uuid.ZERO_UUID), List.of(), Set.of(), true, false));
  }

  @Test
  void what_it_writes_can_be_read_by_the_peer() throws IOException {
    KafkaSourceEnumState peer =
        new KafkaSourceEnumStateSerializer()
            .deserialize(serializer.getVersion(), serializer.serialize(STATE));

    assertThat(peer.initialDiscoveryFinished()).isTrue();
    assertThat(peer.assignedSplits())
        .extracting(KafkaPartitionSplit::getTopicPartition)
        .containsExactlyInAnyOrder(t(0), t(1));
    assertThat(peer.unassignedSplits())
        .containsExactlyInAnyOrder(
            new KafkaPartitionSplit(t(2), 7, 9),
            new KafkaPartitionSplit(t(3), KafkaPartitionSplit.MIGRATED));
  }

  @Test
  void reads_version_3_of_the_peer() throws IOException {
    KafkaSourceEnumStateSerializer peer = new KafkaSourceEnumStateSerializer();
    KafkaSourceEnumState state =
        new KafkaSourceEnumState(
            List.of(new KafkaPartitionSplit(t(0), KafkaPartitionSplit.EARLIEST_OFFSET)),
            List.of(
                new KafkaPartitionSplit(t(1), 44),
                new KafkaPartitionSplit(t(2), KafkaPartitionSplit.EARLIEST_OFFSET),
                new KafkaPartitionSplit(t(3), KafkaPartitionSplit.MIGRATED)),
            true);

    EnumeratorState read = serializer.deserialize(peer.getVersion(), peer.serialize(state));

    assertThat(peer.getVersion()).isEqualTo(3);
    assertThat(read.given()).isEqualTo(Map.of(t(0), Uuid.ZERO_UUID));
    assertThat(read.ready())
        .containsExactlyInAnyOrder(
            KorpseSplit.ofPeer(t(1), new PeerOffsets(44, PeerOffsets.NO_STOP)),
            KorpseSplit.ofPeer(t(2), new PeerOffsets(-2, PeerOffsets.NO_STOP)));
    assertThat(read.waiting()).containsExactly(t(3));
    assertThat(read.discovered()).isTrue();
    assertThat(read.complete()).isFalse();
  }

  @Test
  void reads_version_2_of_the_peer() throws IOException {
    EnumeratorState read =
        serializer.deserialize(
            2,
            bytes(
                out -> {
                  out.writeInt(2);
                  for (int status = 0; status < 2; status++) {
                    out.writeUTF("t");
                    out.writeInt(status);
                    out.writeInt(status);
                  }
                  out.writeBoolean(false);
                }));

    assertThat(read)
        .isEqualTo(
            new EnumeratorState(
                Map.of(t(0), Uuid.ZERO_UUID), List.of(), Set.of(t(1)), false, false));
  }

  @Test
  void reads_version_1_of_the_peer() throws IOException {
    EnumeratorState read =
        serializer.deserialize(
            1,
            bytes(
                out -> {
                  out.writeInt(1);
                  out.writeUTF("t");
                  out.writeInt(5);
                }));

    assertThat(read.given()).containsOnlyKeys(t(5));
    assertThat(read.discovered()).isTrue();
  }

  @Test
  void reads_version_0_of_the_peer() throws IOException {
    byte[] stored =
        SerdeUtils.serializeSplitAssignments(
            Map.of(
                0, List.of(new KafkaPartitionSplit(t(0), 3)),
                1, List.of(new KafkaPartitionSplit(t(1), -2), new KafkaPartitionSplit(t(2), 9))),
            new KafkaPartitionSplitSerializer());

    EnumeratorState read = serializer.deserialize(0, stored);

    assertThat(read.given()).containsOnlyKeys(t(0), t(1), t(2));
  }

  @ParameterizedTest
  @ValueSource(ints = {4, -1, 77})
  void refuses_unknown_versions_of_the_peer(int version) {
    assertThatThrownBy(() -> serializer.deserialize(version, new byte[0]))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("version " + version)
        .hasMessageContaining("Flink's own Kafka connector");
  }

  @Test
  void refuses_a_newer_format_of_its_own() {
    assertThatThrownBy(
            () ->
                serializer.deserialize(
                    3,
                    bytes(
                        out -> {
                          out.writeInt(0);
                          out.writeInt(0x4B500002);
                          out.writeBoolean(true);
                        })))
        .hasMessageContaining("newer Korpse");
  }

  /** Nothing else is thrown, and no length is believed that cannot be. */
  @Test
  void refuses_damaged_bytes_with_an_error_of_reading() throws IOException {
    byte[] whole = serializer.serialize(STATE);
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> serializer.deserialize(3, cut)).isInstanceOf(IOException.class);
    }
    Random random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      byte[] changed = whole.clone();
      changed[random.nextInt(changed.length)] = (byte) random.nextInt();
      int version = random.nextInt(4);
      try {
        assertThat(serializer.deserialize(version, changed)).isNotNull();
      } catch (IOException e) {
        assertThat(e).hasMessageContaining("state");
      }
    }
  }

  @Test
  void refuses_bytes_that_are_left_over() throws IOException {
    byte[] stored = serializer.serialize(STATE);
    byte[] longer = Arrays.copyOf(stored, stored.length + 2);

    assertThatThrownBy(() -> serializer.deserialize(3, longer)).hasMessageContaining("2 bytes");
  }

  private EnumeratorState readBack(EnumeratorState state) throws IOException {
    return serializer.deserialize(serializer.getVersion(), serializer.serialize(state));
  }

  private interface Writer {
    void write(DataOutputStream out) throws IOException;
  }

  private static byte[] bytes(Writer writer) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    writer.write(new DataOutputStream(bytes));
    return bytes.toByteArray();
  }
}
