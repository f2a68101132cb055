package io.korpse.flink.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.testing.RunningJob;
import io.korpse.flink.source.testing.Values;
import io.korpse.offsets.OffsetRule;
import io.korpse.testing.EmbeddedBroker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs that must come to an end by themselves. */
@Timeout(180)
final class BoundedEndsIT {

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(3)
              .build());

  private static EmbeddedBroker broker;

  private final String topic = "topic-" + UUID.randomUUID();

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  /** W3: stops without a bound end the job too, when no partitions are looked for. */
  @Test
  void an_unbounded_job_with_stops_ends_when_discovery_is_off() throws Exception {
    broker.createTopic(topic, 2);
    List<String> written = new ArrayList<>(Values.write(broker, topic, 0, 0, 50));
    written.addAll(Values.write(broker, topic, 1, 0, 50));

    assertThat(
            run(
                source()
                    .setUnbounded(OffsetsInitializer.latest())
                    .setProperty("partition.discovery.interval.ms", "0")))
        .containsExactlyInAnyOrderElementsOf(written);
  }

  /** W7: an interval of 0 is no reason for a bounded job to stay. */
  @Test
  void a_bounded_job_ends_whatever_the_discovery_interval() throws Exception {
    broker.createTopic(topic, 1);
    List<String> written = Values.write(broker, topic, 0, 0, 50);

    for (String interval : new String[] {"0", "-1", "100"}) {
      assertThat(
              run(
                  source()
                      .setBounded(OffsetsInitializer.latest())
                      .setProperty("partition.discovery.interval.ms", interval)))
          .isEqualTo(written);
    }
  }

  /** W9: partitions that are empty, that stop where they start, or that stop at 0. */
  @Test
  void a_bounded_job_ends_with_partitions_that_have_nothing_for_it() throws Exception {
    broker.createTopic(topic, 4);
    List<String> some = Values.write(broker, topic, 0, 0, 50);
    Values.write(broker, topic, 1, 0, 50);
    Values.write(broker, topic, 2, 0, 50);
    Map<TopicPartition, Long> starts = Map.of(partition(1), 20L);
    Map<TopicPartition, Long> stops = Map.of(partition(1), 20L, partition(2), 0L);

    assertThat(
            run(
                source()
                    .setStartingOffsets(OffsetsInitializer.offsets(starts))
                    .setBounded(
                        OffsetsInitializer.of(OffsetRule.explicit(stops, OffsetRule.latest())))))
        .isEqualTo(some);
  }

  /** W19: a timestamp on partitions without records, and after all records. */
  @Test
  void timestamps_on_empty_partitions_are_their_ends() throws Exception {
    broker.createTopic(topic, 2);
    Values.write(broker, topic, 0, 0, 50);

    assertThat(
            run(
                source()
                    .setStartingOffsets(OffsetsInitializer.timestamp(30))
                    .setBounded(OffsetsInitializer.timestamp(5_000))))
        .isEqualTo(Values.of(topic, 0, 30, 50));
  }

  private TopicPartition partition(int number) {
    return new TopicPartition(topic, number);
  }

  private KorpseSourceBuilder<String> source() {
    return KorpseSource.<String>builder()
        .setBootstrapServers(broker.bootstrapServers())
        .setTopics(topic)
        .setValueOnlyDeserializer(new SimpleStringSchema());
  }

  private static List<String> run(KorpseSourceBuilder<String> source) throws Exception {
    try (RunningJob<String> job = RunningJob.start(source.build(), 3, null)) {
      job.awaitEnd();
      return job.values();
    }
  }
}
