package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SimConsumerTest {

  private static final TopicPartition A = new TopicPartition("t", 0);
  private static final TopicPartition B = new TopicPartition("t", 1);
  private static final TopicPartition C = new TopicPartition("t", 2);
  private static final Duration LONG = Duration.ofSeconds(10);
  private static final Duration SHORT = Duration.ofMillis(20);

  private final SimScheduler time = new SimScheduler();
  private final SimCluster cluster = new SimCluster(time);

  @Test
  void waits_in_virtual_time_only_as_long_as_nothing_comes() {
    SimConsumer consumer = reading(SimConsumerConfig.defaults(), A);
    long start = time.getAsLong();
    time.after(Duration.ofMillis(300), () -> append(A, 1));

    assertThat(consumer.poll(LONG).count()).isEqualTo(1);
    assertThat(time.getAsLong() - start).isBetween(300_000_000L, 310_000_000L);

    long before = time.getAsLong();
    assertThat(consumer.poll(SHORT).count()).isZero();
    assertThat(time.getAsLong() - before).isEqualTo(SHORT.toNanos());
  }

  @Test
  void drains_one_partition_after_the_other() {
    SimConsumer consumer = new SimConsumer(cluster, withMaxPoll(4));
    create(A, B);
    append(A, 6);
    append(B, 6);
    assignAll(consumer, A, B);

    List<List<TopicPartition>> polls = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      polls.add(List.copyOf(consumer.poll(LONG).partitions()));
    }

    TopicPartition first = polls.get(0).get(0);
    assertThat(polls.get(0)).hasSize(1);
    assertThat(polls.get(1)).containsExactlyInAnyOrder(A, B);
    assertThat(polls.get(2)).hasSize(1).doesNotContain(first);
  }

  @Test
  void keeps_data_of_a_paused_partition_and_returns_them_after_resume() {
    SimConsumer consumer = new SimConsumer(cluster, withMaxPoll(2));
    create(A);
    append(A, 6);
    assignAll(consumer, A);
    assertThat(consumer.poll(LONG).count()).isEqualTo(2);

    consumer.pause(Set.of(A));
    assertThat(consumer.poll(SHORT).count()).isZero();
    assertThat(consumer.pinnedBytes()).isPositive();
    consumer.resume(Set.of(A));

    long before = time.getAsLong();
    assertThat(offsets(consumer.poll(LONG))).containsExactly(2L, 3L);
    assertThat(time.getAsLong()).as("no fetch was needed").isEqualTo(before);
  }

  @Test
  void asks_a_broker_for_nothing_while_an_unpaused_partition_of_it_is_not_drained() {
    SimConsumer consumer = new SimConsumer(cluster, withMaxPoll(1));
    create(A, B);
    append(A, 3);
    assignAll(consumer, A, B);
    assertThat(consumer.poll(LONG).partitions()).containsExactly(A);
    append(B, 1);

    assertThat(consumer.poll(LONG).partitions()).containsExactly(A);
    consumer.pause(Set.of(A));
    assertThat(consumer.poll(LONG).partitions()).as("the pause frees the broker").contains(B);
  }

  @Test
  void fetches_a_resumed_partition_only_when_the_long_poll_of_its_broker_is_over() {
    SimConsumer consumer = new SimConsumer(cluster, withMaxPoll(500).withFetchMaxWaitMs(500));
    create(A, B);
    assignAll(consumer, A, B);
    consumer.pause(Set.of(A));
    consumer.poll(Duration.ofMillis(100));
    append(A, 1);
    consumer.resume(Set.of(A));
    long resumed = time.getAsLong();

    assertThat(consumer.poll(LONG).count()).isEqualTo(1);
    assertThat(time.getAsLong() - resumed).isBetween(300_000_000L, 510_000_000L);
  }

  @Test
  void returns_the_first_batch_even_if_it_is_larger_than_the_limits() {
    SimConsumer consumer =
        new SimConsumer(cluster, SimConsumerConfig.defaults().withFetchBytes(1000, 500));
    create(A, B);
    cluster.append(A, List.of(SimRecord.of(0, 5000)));
    cluster.append(B, List.of(SimRecord.of(0, 5000)));
    assignAll(consumer, A, B);

    assertThat(consumer.poll(LONG).partitions()).hasSize(1);
    assertThat(consumer.poll(LONG).partitions()).hasSize(1);
  }

  @Test
  void returns_far_more_bytes_than_were_fetched_when_they_compress() {
    SimConsumer consumer = new SimConsumer(cluster, SimConsumerConfig.defaults());
    create(A);
    cluster.append(A, List.of(SimRecord.of(0, 900_000), SimRecord.of(0, 900_000)), 300);
    assignAll(consumer, A);

    ConsumerRecords<byte[], byte[]> records = consumer.poll(LONG);

    assertThat(records.records(A)).allMatch(record -> record.value().length == 900_000);
    assertThat(records.count()).isEqualTo(2);
  }

  @Test
  void moves_past_markers_and_gaps_without_records_and_says_so() {
    SimConsumer consumer =
        new SimConsumer(cluster, SimConsumerConfig.defaults().withReadCommitted());
    create(A);
    cluster.appendTransaction(A, List.of(SimRecord.of(0, 10), SimRecord.of(0, 10)), false);
    assignAll(consumer, A);

    ConsumerRecords<byte[], byte[]> records = consumer.poll(LONG);

    assertThat(records.isEmpty()).isTrue();
    assertThat(records.nextOffsets().get(A).offset()).isEqualTo(3);
    assertThat(consumer.position(A)).isEqualTo(3);
  }

  @Test
  void hides_an_open_transaction_from_read_committed() {
    SimConsumer committed =
        new SimConsumer(cluster, SimConsumerConfig.defaults().withReadCommitted());
    create(A);
    append(A, 1);
    cluster.partition(A).openTransaction();
    append(A, 1);
    assignAll(committed, A);

    assertThat(committed.poll(LONG).count()).isEqualTo(1);
    assertThat(committed.poll(SHORT).count()).isZero();
    assertThat(committed.currentLag(A)).hasValue(0);
  }

  @Test
  void names_an_offset_out_of_range_again_and_again_until_it_is_sought() {
    SimConsumer consumer = new SimConsumer(cluster, SimConsumerConfig.defaults());
    create(A, B);
    append(A, 4);
    append(A, 4);
    cluster.deleteBefore(A, 4);
    assignAll(consumer, A, B);

    for (int i = 0; i < 2; i++) {
      assertThatExceptionOfType(OffsetOutOfRangeException.class)
          .isThrownBy(() -> consumer.poll(LONG))
          .satisfies(e -> assertThat(e.offsetOutOfRangePartitions()).containsOnlyKeys(A));
    }
    consumer.seek(A, 4);
    assertThat(offsets(consumer.poll(LONG))).containsExactly(4L, 5L, 6L, 7L);
  }

  @Test
  void throws_a_truncation_once_and_loses_the_partition_to_an_epoch_that_never_was() {
    SimConsumer consumer = reading(SimConsumerConfig.defaults(), A);
    append(A, 2);
    assertThat(consumer.poll(LONG).count()).isEqualTo(2);

    consumer.seek(A, new OffsetAndMetadata(1, Optional.of(50), ""));
    assertThatExceptionOfType(LogTruncationException.class)
        .isThrownBy(() -> consumer.poll(LONG))
        .satisfies(e -> assertThat(e.offsetOutOfRangePartitions()).containsEntry(A, 1L));
    consumer.seek(A, 0);
    assertThat(consumer.poll(LONG).count()).as("stalled without an exception").isZero();
    consumer.assign(Set.of());
    assignAll(consumer, A);
    assertThat(consumer.poll(LONG).count()).as("still stalled").isZero();

    SimConsumer fresh = new SimConsumer(cluster, SimConsumerConfig.defaults());
    assignAll(fresh, A);
    assertThat(fresh.poll(LONG).count()).isEqualTo(2);
  }

  @Test
  void finds_where_a_truncated_log_diverges() {
    SimConsumer consumer = reading(SimConsumerConfig.defaults(), A);
    append(A, 2);
    append(A, 2);
    assertThat(consumer.poll(LONG).count()).isEqualTo(2);
    assertThat(consumer.poll(LONG).count()).isEqualTo(2);
    cluster.truncate(A, 2, 1);

    assertThatExceptionOfType(LogTruncationException.class)
        .isThrownBy(() -> consumer.poll(LONG))
        .satisfies(e -> assertThat(e.divergentOffsets().get(A).offset()).isEqualTo(2));
  }

  @Test
  void follows_a_leader_that_moves() {
    SimConsumer consumer = reading(SimConsumerConfig.defaults(), A);
    append(A, 1);
    assertThat(consumer.poll(LONG).count()).isEqualTo(1);
    cluster.elect(A, 2);
    append(A, 1);

    assertThat(offsets(consumer.poll(LONG))).containsExactly(1L);
  }

  @Test
  void reads_the_others_while_one_has_no_leader() {
    SimConsumer consumer = reading(SimConsumerConfig.defaults(), A, B);
    cluster.elect(A, SimPartition.NO_LEADER);
    append(A, 1);
    append(B, 1);

    assertThat(consumer.poll(LONG).partitions()).containsExactly(B);
    time.after(Duration.ofSeconds(1), () -> cluster.elect(A, 1));
    assertThat(consumer.poll(LONG).partitions()).containsExactly(A);
  }

  @Test
  void latches_a_wakeup_until_the_next_poll() {
    SimConsumer consumer = reading(SimConsumerConfig.defaults(), A);
    consumer.wakeup();
    append(A, 1);
    assertThatThrownBy(() -> consumer.poll(LONG)).isInstanceOf(WakeupException.class);
    assertThat(consumer.poll(LONG).count()).isEqualTo(1);

    long before = time.getAsLong();
    time.after(SHORT, consumer::wakeup);
    assertThatThrownBy(() -> consumer.poll(LONG)).isInstanceOf(WakeupException.class);
    assertThat(time.getAsLong() - before).isEqualTo(SHORT.toNanos());
  }

  @Test
  void calls_the_deserializers_for_each_record_and_repeats_one_that_fails() {
    List<Integer> seen = new ArrayList<>();
    ByteArrayDeserializer values =
        new ByteArrayDeserializer() {
          @Override
          public byte[] deserialize(String topic, Headers headers, ByteBuffer data) {
            seen.add(data.remaining());
            if (data.remaining() == 3) {
              throw new IllegalStateException("not three");
            }
            return super.deserialize(topic, headers, data);
          }
        };
    SimConsumer consumer =
        new SimConsumer(cluster, SimConsumerConfig.defaults(), new ByteArrayDeserializer(), values);
    create(A);
    cluster.append(A, List.of(SimRecord.of(0, 2), SimRecord.of(0, 3), SimRecord.of(0, 4)));
    assignAll(consumer, A);

    assertThat(consumer.poll(LONG).count()).isEqualTo(1);
    assertThatExceptionOfType(RecordDeserializationException.class)
        .isThrownBy(() -> consumer.poll(LONG))
        .satisfies(e -> assertThat(e.offset()).isEqualTo(1));
    consumer.seek(A, 2);
    assertThat(offsets(consumer.poll(LONG))).containsExactly(2L);
    assertThat(seen).as("twice by the poll that gave record 0").containsExactly(2, 3, 3, 3, 4);
  }

  @Test
  void drops_data_of_a_partition_that_is_removed_or_sought_elsewhere() {
    SimConsumer consumer = new SimConsumer(cluster, withMaxPoll(1));
    create(A, B, C);
    append(A, 3);
    append(B, 3);
    append(C, 3);
    assignAll(consumer, A, B);
    TopicPartition first = consumer.poll(LONG).partitions().iterator().next();
    TopicPartition other = first.equals(A) ? B : A;

    consumer.seek(other, 2);
    consumer.assign(Set.of(other, C));
    consumer.seek(C, 0);

    List<String> read = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      consumer.poll(LONG).forEach(r -> read.add(r.partition() + "@" + r.offset()));
    }
    int number = other.partition();
    assertThat(read).containsExactlyInAnyOrder(number + "@2", "2@0", "2@1", "2@2");
    assertThatThrownBy(() -> consumer.pause(Set.of(first)))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void refuses_by_name_what_it_does_not_model() {
    SimConsumer consumer = new SimConsumer(cluster, SimConsumerConfig.defaults());

    assertThatThrownBy(consumer::commitSync)
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("commitSync");
  }

  private static SimConsumerConfig withMaxPoll(int records) {
    return SimConsumerConfig.defaults().withMaxPollRecords(records);
  }

  private void create(TopicPartition... partitions) {
    for (TopicPartition partition : partitions) {
      cluster.create(partition, 1);
    }
  }

  private static void assignAll(SimConsumer consumer, TopicPartition... partitions) {
    consumer.assign(List.of(partitions));
    for (TopicPartition partition : partitions) {
      consumer.seek(partition, 0);
    }
  }

  /** A consumer that has its first, full fetch behind it. */
  private SimConsumer reading(SimConsumerConfig config, TopicPartition... partitions) {
    SimConsumer consumer = new SimConsumer(cluster, config);
    create(partitions);
    assignAll(consumer, partitions);
    assertThat(consumer.poll(SHORT).count()).isZero();
    time.advance(LONG);
    assertThat(consumer.poll(SHORT).count()).isZero();
    return consumer;
  }

  private void append(TopicPartition partition, int records) {
    List<SimRecord> batch = new ArrayList<>();
    for (int i = 0; i < records; i++) {
      batch.add(SimRecord.of(time.getAsLong() / 1_000_000, 100));
    }
    cluster.append(partition, batch);
  }

  private static List<Long> offsets(ConsumerRecords<byte[], byte[]> records) {
    List<Long> offsets = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : records) {
      offsets.add(record.offset());
    }
    return offsets;
  }
}
