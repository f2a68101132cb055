package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

class IntakeTest {

  private static final ProxyLimits LIMITS = ProxyRig.limits(8_000, 100_000);

  private final ProxyStats stats = new ProxyStats();
  private final PollQuota quota = new PollQuota(true, true);
  private final ProxyConsumer consumer =
      new ProxyConsumer(
          (overrides, keys, values) -> new MockConsumer<>("earliest"),
          quota,
          new PauseLedger(new PauseTimes()),
          new FetchAhead(),
          8,
          stats);
  private final List<String> arrived = new ArrayList<>();
  private final Intake intake =
      new Intake(
          consumer,
          quota,
          new PollSize(500, true),
          null,
          LIMITS,
          stats,
          new Holdings(new BufferBudget(100_000), stats),
          split -> arrived.add("replaced " + split.splitId()));
  private final Intake.Arrivals arrivals =
      new Intake.Arrivals() {
        @Override
        public void arrived(SplitBuffer split, int count, long bytes) {
          arrived.add(count + " in " + bytes + " B");
        }

        @Override
        public void unmoved(SplitBuffer split) {
          arrived.add("unmoved");
        }
      };

  /** It became a run without records, and the seek after it one without a leader epoch. */
  @Test
  void makes_nothing_of_a_partition_that_is_named_and_did_not_move() {
    SplitBuffer split = Buffers.empty(0);
    consumer.add(List.of(split), 500);
    take(split, 0, 100, 200);
    split.take(Buffers.batch(2), Long.MAX_VALUE, Long.MAX_VALUE);

    take(split, 0);

    assertThat(arrived).containsExactly("2 in 200 B", "unmoved");
    assertThat(split.hasRun()).isFalse();
    assertThat(split.fetchEpoch()).isEqualTo(Buffers.EPOCH);
    assertThat(intake.kept()).isZero();
  }

  @Test
  void moves_a_partition_past_control_records_without_a_record() {
    SplitBuffer split = Buffers.empty(0);
    consumer.add(List.of(split), 500);

    take(split, 3);

    assertThat(arrived).containsExactly("0 in 0 B");
    assertThat(split.fetchOffset()).isEqualTo(3);
    assertThat(split.hasRun()).isTrue();
  }

  /** Epochs only grow in a log. */
  @Test
  void leaves_out_what_comes_with_an_earlier_epoch_than_what_was_read() {
    SplitBuffer split = Buffers.empty(0);
    consumer.add(List.of(split), 500);
    split.moveFetchTo(10, Buffers.EPOCH + 1);

    take(split, 0, 100, 200);

    assertThat(arrived).containsExactly("replaced " + split.splitId());
    assertThat(split.records()).isZero();
    assertThat(split.fetchOffset()).isEqualTo(10);
    assertThat(intake.kept()).isZero();
  }

  @Test
  void takes_nothing_from_beyond_the_stop_offset() {
    SplitBuffer split = Buffers.endingAt(0, 2);
    consumer.add(List.of(split), 500);

    take(split, 0, 100, 200, 300);

    assertThat(split.records()).isEqualTo(2);
    assertThat(split.fetchOffset()).isEqualTo(2);
  }

  /** It shrank the polls of all splits, by a rebuild of the consumer. */
  @Test
  void what_lies_beyond_the_stop_offset_is_not_withheld() {
    SplitBuffer split = Buffers.endingAt(0, 2);
    consumer.add(List.of(split), 500);
    intake.begin(1);
    byte[] value = new byte[100];
    for (int i = 0; i < 4; i++) {
      quota.values().deserialize("t", new RecordHeaders(), ByteBuffer.wrap(value));
    }
    List<ConsumerRecord<byte[], byte[]>> polled = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      polled.add(
          new ConsumerRecord<>(
              split.partition().topic(),
              split.partition().partition(),
              i,
              null,
              i < 2 ? value : PollQuota.WITHHELD));
    }
    intake.take(
        new ConsumerRecords<>(
            Map.of(split.partition(), polled),
            Map.of(
                split.partition(),
                new OffsetAndMetadata(4, java.util.Optional.of(Buffers.EPOCH), ""))),
        arrivals);

    assertThat(split.fetchOffset()).isEqualTo(2);
    assertThat(stats.withheld()).isZero();
  }

  private void take(SplitBuffer split, long gap, long... timestamps) {
    long next = split.fetchOffset() + timestamps.length + gap;
    intake.begin(LIMITS.pollBytes());
    intake.take(
        new ConsumerRecords<>(
            timestamps.length == 0
                ? Map.of()
                : Map.of(split.partition(), Buffers.records(split, timestamps)),
            Map.of(
                split.partition(),
                new OffsetAndMetadata(next, java.util.Optional.of(Buffers.EPOCH), ""))),
        arrivals);
    intake.fitPollSize(0, Duration.ofSeconds(1));
  }
}
