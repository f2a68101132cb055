package io.korpse.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.offsets.Resolution.Resolved;
import io.korpse.offsets.lag.LagValue;
import io.korpse.testing.EmbeddedBroker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
final class GroupOffsetsIT {

  private static EmbeddedBroker broker;
  private static Admin admin;

  private final String group = "g-" + UUID.randomUUID();
  private final String topic = "a-" + UUID.randomUUID();
  private final String second = "b-" + UUID.randomUUID();
  private final TopicPartition p0 = new TopicPartition(topic, 0);
  private final TopicPartition p1 = new TopicPartition(topic, 1);
  private final TopicPartition q0 = new TopicPartition(second, 0);
  private GroupOffsets offsets;

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
    admin = broker.admin();
  }

  @AfterAll
  static void stopBroker() {
    admin.close();
    broker.close();
  }

  @BeforeEach
  void open() {
    broker.createTopic(topic, 2);
    broker.createTopic(second, 1);
    broker.produce(p0, 0, 10);
    offsets = builder().build();
  }

  @AfterEach
  void close() {
    offsets.close();
  }

  @Test
  void finds_the_starts_of_all_partitions_of_some_topics_in_one_call() {
    offsets.store(List.of(OffsetRange.of(p0, 0, 4)));

    Map<TopicPartition, Position> starts = offsets.startingOffsets(topic, second);
    assertThat(starts.keySet()).containsExactlyInAnyOrder(p0, p1, q0);
    assertThat(starts.get(p0)).isEqualTo(Position.of(4));
    assertThat(starts.get(p1).offset()).isZero();
    assertThat(starts.get(q0).offset()).isZero();
    assertThat(((Resolved) offsets.resolve(topic).get(p0)).origin()).isEqualTo(Origin.COMMITTED);
    assertThat(((Resolved) offsets.resolve(topic).get(p1)).origin()).isEqualTo(Origin.EARLIEST);
  }

  @Test
  void names_the_partitions_that_have_no_start() {
    try (GroupOffsets strict = builder().start(OffsetRule.committed()).build()) {
      assertThatThrownBy(() -> strict.startingOffsets(topic))
          .isInstanceOf(OffsetsException.class)
          .hasMessageContaining(p0.toString())
          .hasMessageContaining(p1.toString())
          .hasMessageContaining(group);
    }
  }

  @Test
  void names_a_topic_that_does_not_exist() {
    assertThatThrownBy(() -> offsets.startingOffsets("nowhere"))
        .isInstanceOf(OffsetsException.class)
        .hasMessage("Topic 'nowhere' does not exist");
  }

  @Test
  void stores_ranges_one_after_the_other() throws Exception {
    offsets.store(List.of(OffsetRange.of(p0, 0, 4)));
    offsets.store(
        List.of(
            OffsetRange.of(p0, 6, 9),
            new OffsetRange(p1, 0, Position.of(0)),
            OffsetRange.of(p0, 4, 6)));

    assertThat(committed(p0).offset()).isEqualTo(9);
    assertThat(committed(p0).metadata()).startsWith("korpse/1 job=batch at=");
    assertThat(committed(p1).offset()).isZero();
  }

  @Test
  void refuses_a_gap_and_an_overlap_and_stores_nothing_of_the_call() throws Exception {
    offsets.store(List.of(OffsetRange.of(p0, 0, 4), OffsetRange.of(p1, 0, 0)));

    assertThatThrownBy(
            () -> offsets.store(List.of(OffsetRange.of(p0, 5, 6), OffsetRange.of(p1, 0, 0))))
        .isInstanceOf(OffsetsException.class)
        .hasMessageContaining("nothing was stored")
        .hasMessageContaining("a gap of 1 offsets");
    assertThatThrownBy(() -> offsets.store(List.of(OffsetRange.of(p0, 2, 6))))
        .hasMessageContaining("an overlap of 2 offsets");
    assertThat(committed(p0).offset()).isEqualTo(4);
  }

  @Test
  void warns_and_stores_when_told_so_also_backwards() throws Exception {
    try (GroupOffsets lenient = builder().ranges(RangePolicy.WARN_AND_STORE).build()) {
      lenient.store(List.of(OffsetRange.of(p0, 0, 8)));
      lenient.store(List.of(OffsetRange.of(p0, 9, 10)));
      assertThat(committed(p0).offset()).isEqualTo(10);
      lenient.store(List.of(OffsetRange.of(p0, 1, 3)));
      assertThat(committed(p0).offset()).isEqualTo(3);
    }
  }

  @Test
  void takes_the_start_that_it_gave_after_data_loss() throws Exception {
    offsets.store(List.of(OffsetRange.of(p0, 0, 2)));
    admin
        .deleteRecords(Map.of(p0, RecordsToDelete.beforeOffset(6)))
        .all()
        .get(30, TimeUnit.SECONDS);
    try (GroupOffsets tolerant = builder().onDataLoss(DataLossPolicy.EARLIEST).build()) {
      assertThat(tolerant.startingOffsets(topic).get(p0)).isEqualTo(Position.of(6));
      GroupLag lag = tolerant.lag(topic).get(p0);
      assertThat(lag.lost()).isEqualTo(LagValue.of(4));
      assertThat(lag.records()).isEqualTo(LagValue.of(4));
      tolerant.store(List.of(OffsetRange.of(p0, 6, 7)));
    }
    assertThat(committed(p0).offset()).isEqualTo(7);
  }

  @Test
  void stores_again_what_somebody_else_has_set_back_or_deleted() throws Exception {
    offsets.store(List.of(OffsetRange.of(p0, 0, 10)));
    admin
        .alterConsumerGroupOffsets(group, Map.of(p0, new OffsetAndMetadata(0)))
        .all()
        .get(30, TimeUnit.SECONDS);
    assertThat(offsets.startingOffsets(topic).get(p0)).isEqualTo(Position.of(0));
    offsets.store(List.of(OffsetRange.of(p0, 0, 10)));
    assertThat(committed(p0).offset()).isEqualTo(10);

    admin.deleteConsumerGroupOffsets(group, Set.of(p0)).all().get(30, TimeUnit.SECONDS);
    offsets.store(List.of(OffsetRange.of(p0, 0, 10)));
    assertThat(committed(p0).offset()).isEqualTo(10);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void refuses_the_second_of_two_programs_that_were_given_the_same_start(boolean isCommitted)
      throws Exception {
    if (isCommitted) {
      offsets.store(List.of(OffsetRange.of(p0, 0, 2)));
    }
    long start = isCommitted ? 2 : 0;
    try (GroupOffsets other = builder().build()) {
      assertThat(offsets.startingOffsets(topic).get(p0).offset()).isEqualTo(start);
      assertThat(other.startingOffsets(topic).get(p0).offset()).isEqualTo(start);
      offsets.store(List.of(OffsetRange.of(p0, start, 9)));

      assertThatThrownBy(() -> other.store(List.of(OffsetRange.of(p0, start, 5))))
          .isInstanceOf(OffsetsException.class)
          .hasMessageContaining("an overlap of " + (9 - start) + " offsets");
      assertThat(committed(p0).offset()).isEqualTo(9);
    }
  }

  @Test
  void joins_an_empty_range_to_what_follows_it_in_any_order() throws Exception {
    offsets.store(List.of(OffsetRange.of(p0, 5, 10), OffsetRange.of(p0, 5, 5)));

    assertThat(committed(p0).offset()).isEqualTo(10);
  }

  @Test
  void answers_at_once_when_there_is_nothing_to_ask() {
    try (GroupOffsets patient = builder().timeout(Duration.ofHours(1)).build()) {
      assertThat(patient.lag()).isEmpty();
      assertThat(patient.startingOffsets()).isEmpty();
    }
  }

  @Test
  void rejects_ranges_that_do_not_join() {
    assertThatThrownBy(
            () -> offsets.store(List.of(OffsetRange.of(p0, 0, 4), OffsetRange.of(p0, 5, 6))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("do not join");
    assertThatThrownBy(() -> OffsetRange.of(p0, 4, 3)).hasMessageContaining("from 4 until 3");
  }

  @Test
  void tells_the_lag_and_unknown_where_nothing_is_committed() {
    offsets.store(List.of(OffsetRange.of(p0, 0, 4)));

    Map<TopicPartition, GroupLag> lag = offsets.lag(topic, second);
    assertThat(lag).containsOnlyKeys(p0, p1, q0);
    assertThat(lag.get(p0))
        .isEqualTo(
            new GroupLag(
                p0, Optional.of(Position.of(4)), LagValue.of(10), LagValue.of(6), LagValue.of(0)));
    assertThat(lag.get(p1).records()).isEqualTo(LagValue.unknown());
  }

  @Test
  void says_who_blocks_the_group() {
    try (KafkaConsumer<byte[], byte[]> member =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers(), "group.id", group),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      member.subscribe(List.of(topic));
      while (member.assignment().isEmpty()) {
        member.poll(Duration.ofMillis(50));
      }
      assertThatThrownBy(() -> offsets.store(List.of(OffsetRange.of(p0, 0, 4))))
          .isInstanceOf(OffsetsException.class)
          .hasMessageContaining("live members")
          .hasMessageContaining("consumer-" + group);
    }
  }

  private GroupOffsets.Builder builder() {
    return GroupOffsets.builder(broker.bootstrapServers(), group).clientId("batch");
  }

  private OffsetAndMetadata committed(TopicPartition partition) throws Exception {
    return admin
        .listConsumerGroupOffsets(group)
        .partitionsToOffsetAndMetadata()
        .get(30, TimeUnit.SECONDS)
        .get(partition);
  }
}
