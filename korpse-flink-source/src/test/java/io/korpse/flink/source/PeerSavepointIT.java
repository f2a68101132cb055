package io.korpse.flink.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.flink.source.split.PeerOffsets;
import io.korpse.flink.source.testing.RunningJob;
import io.korpse.flink.source.testing.SavepointContents;
import io.korpse.flink.source.testing.Values;
import io.korpse.testing.EmbeddedBroker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** From Flink's own connector to Korpse and back, under one uid, with real savepoints. */
@Timeout(240)
final class PeerSavepointIT {

  private static final int PARTITIONS = 4;

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(3)
              .build());

  private static EmbeddedBroker broker;

  @TempDir private Path savepoints;

  private final String topic = "topic-" + UUID.randomUUID();

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  /** The start policy, which decides the markers that quiet partitions have in the peer's state. */
  enum Start {
    EARLIEST(PeerOffsets.EARLIEST),
    COMMITTED(PeerOffsets.COMMITTED);

    private final long marker;

    Start(long marker) {
      this.marker = marker;
    }
  }

  @ParameterizedTest
  @EnumSource(Start.class)
  void a_job_moves_to_korpse_and_back_without_losing_or_repeating_a_record(Start start)
      throws Exception {
    broker.createTopic(topic, PARTITIONS);
    List<String> first = new ArrayList<>(Values.write(broker, topic, 0, 0, 100));
    first.addAll(Values.write(broker, topic, 1, 0, 50));

    String fromPeer = run(peer(start, false), 2, null, first);
    assertHoldsMarkers(fromPeer, start.marker);

    List<String> second = new ArrayList<>(Values.write(broker, topic, 0, 100, 150));
    second.addAll(Values.write(broker, topic, 1, 50, 60));
    second.addAll(Values.write(broker, topic, 2, 0, 70));
    String fromKorpse = run(korpse(start), 3, fromPeer, second);
    // The answer for the other quiet partition may still be under way: then its marker is kept.
    assertThat(SavepointContents.read(fromKorpse).readers())
        .hasSize(PARTITIONS)
        .filteredOn(split -> split.unresolved().isEmpty())
        .hasSizeGreaterThanOrEqualTo(3);

    List<String> third = new ArrayList<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      third.addAll(Values.write(broker, topic, partition, 1_000, 1_020));
    }
    String back = run(peer(start, true), 2, fromKorpse, third);

    List<String> fourth = Values.write(broker, topic, 3, 2_000, 2_010);
    run(korpse(start), 2, back, fourth);
  }

  private String run(
      org.apache.flink.api.connector.source.Source<String, ?, ?> source,
      int parallelism,
      String savepoint,
      List<String> expected)
      throws Exception {
    try (RunningJob<String> job = RunningJob.start(source, parallelism, savepoint)) {
      job.awaitCount(expected.size());
      String stopped = job.stop(savepoints);
      assertThat(job.values()).containsExactlyInAnyOrderElementsOf(expected);
      return stopped;
    }
  }

  private static void assertHoldsMarkers(String savepoint, long marker) throws Exception {
    SavepointContents contents = SavepointContents.read(savepoint);
    assertThat(contents.readers()).hasSize(PARTITIONS);
    assertThat(contents.readers())
        .filteredOn(split -> split.unresolved().isPresent())
        .hasSize(2)
        .allMatch(split -> split.unresolved().get().start() == marker);
    assertThat(contents.enumerator().given()).hasSize(PARTITIONS);
    assertThat(contents.readers())
        .filteredOn(split -> split.unresolved().isEmpty())
        .extracting(KorpseSplit::position)
        .extracting(position -> position.offset())
        .containsExactlyInAnyOrder(100L, 50L);
  }

  // After a start from earliest the policy is one that would read other records, were the state
  // not used. With committed offsets it stays: the peer reads its marker of a quiet partition by
  // the reset strategy of the policy of the day, and that marker may still be in the state.
  @SuppressWarnings("deprecation")
  private KafkaSource<String> peer(Start start, boolean restored) {
    org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer offsets =
        start == Start.COMMITTED
            ? org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer
                .committedOffsets(OffsetResetStrategy.EARLIEST)
            : restored
                ? org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer
                    .latest()
                : org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer
                    .earliest();
    return KafkaSource.<String>builder()
        .setBootstrapServers(broker.bootstrapServers())
        .setGroupId(topic)
        .setTopics(topic)
        .setStartingOffsets(offsets)
        .setValueOnlyDeserializer(new SimpleStringSchema())
        .build();
  }

  @SuppressWarnings("deprecation")
  private KorpseSource<String> korpse(Start start) {
    return KorpseSource.<String>builder()
        .setBootstrapServers(broker.bootstrapServers())
        .setGroupId(topic)
        .setTopics(topic)
        .setStartingOffsets(
            start == Start.EARLIEST
                ? OffsetsInitializer.latest()
                : OffsetsInitializer.committedOffsets(OffsetResetStrategy.EARLIEST))
        .setValueOnlyDeserializer(new SimpleStringSchema())
        .build();
  }
}
