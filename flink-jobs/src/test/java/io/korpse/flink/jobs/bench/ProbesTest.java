package io.korpse.flink.jobs.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class ProbesTest {

  private static SinkWriter.Context at(long timestamp) {
    return new SinkWriter.Context() {
      @Override
      public long currentWatermark() {
        return Long.MIN_VALUE;
      }

      @Override
      public Long timestamp() {
        return timestamp;
      }
    };
  }

  @Test
  void disorder_is_the_distance_to_the_newest_record_before() {
    DisorderProbe<String> probe = new DisorderProbe<>(4);
    probe.accept("a", at(1_000));
    probe.accept("b", at(5_000));
    probe.accept("c", at(2_000));
    probe.accept("d", at(6_000));

    assertThat(probe.figures().get("maxDisorderSeconds")).hasValue(3);
    assertThat(probe.figures().get("meanDisorderSeconds")).hasValue(0.75);
  }

  @Test
  void disorder_of_an_incomplete_read_is_refused() {
    DisorderProbe<String> probe = new DisorderProbe<>(2);
    probe.accept("a", at(1_000));

    assertThatThrownBy(probe::figures).hasMessageContaining("1 of 2");
  }

  @Test
  void steady_state_runs_from_the_middle_of_a_short_read() {
    SteadyProbe<String> probe = SteadyProbe.of(10);
    for (int i = 0; i < 9; i++) {
      probe.accept("x", at(0));
      assertThat(probe.finished()).isFalse();
    }
    probe.accept("x", at(0));

    assertThat(probe.finished()).isTrue();
    assertThat(probe.figures().get("recordsPerSecond").orElseThrow()).isPositive();
    assertThat(probe.figures().get("firstRecordSeconds").orElseThrow()).isPositive();
  }

  @Test
  void steady_state_needs_at_least_two_records() {
    assertThatThrownBy(() -> SteadyProbe.of(1)).hasMessageContaining("1");
  }

  @Test
  void what_the_group_covers_is_not_uncommitted() {
    Uncommitted uncommitted = new Uncommitted(2);
    TopicPartition zero = new TopicPartition("t", 0);
    assertThat(uncommitted.any()).isFalse();
    uncommitted.emitted(Coordinates.of(0, 7), 100);
    uncommitted.emitted(Coordinates.of(0, 8), 200);
    uncommitted.emitted(Coordinates.of(1, 0), 300);

    assertThat(uncommitted.oldestAgeNanos(1_000)).isEqualTo(900);
    uncommitted.committed(zero, new OffsetAndMetadata(8));
    assertThat(uncommitted.oldestAgeNanos(1_000)).isEqualTo(800);
    uncommitted.committed(zero, new OffsetAndMetadata(9));
    uncommitted.committed(new TopicPartition("t", 1), null);
    assertThat(uncommitted.oldestAgeNanos(1_000)).isEqualTo(700);
    assertThat(uncommitted.any()).isTrue();
  }

  @Test
  void coordinates_keep_partition_and_offset() {
    long coordinates = Coordinates.of(1_999, 123_456_789_012L);

    assertThat(Coordinates.partition(coordinates)).isEqualTo(1_999);
    assertThat(Coordinates.offset(coordinates)).isEqualTo(123_456_789_012L);
  }

  @Test
  void latency_begins_after_what_had_piled_up() {
    LatencyProbe probe = new LatencyProbe(0, 60);
    byte[] value = ByteBuffer.allocate(100).putLong(Load.nowMicros() - 5_000).array();
    probe.accept(value, at(0));

    assertThat(probe.finished()).isFalse();
    assertThat(probe.figures().get("latencyMillisP50").orElseThrow()).isBetween(5.0, 60_000.0);
  }

  @Test
  void unequal_partitions_halve_eight_times_and_begin_again() {
    assertThat(OrderScenario.recordsOf(0, 8, 1_593_750)).isEqualTo(800_000);
    assertThat(OrderScenario.recordsOf(7, 8, 1_593_750)).isEqualTo(6_250);
    assertThat(OrderScenario.recordsOf(8, 2000, 1_593_750)).isEqualTo(3_200);
    assertThat(OrderScenario.recordsOf(15, 2000, 1_593_750)).isEqualTo(25);
  }

  @Test
  void a_meter_sees_what_its_own_thread_allocates() {
    Meter start = Meter.now();
    byte[][] kept = new byte[100][];
    for (int i = 0; i < kept.length; i++) {
      kept[i] = new byte[10_000];
    }
    Meter end = Meter.now();

    assertThat(end.allocatedSince(start)).isGreaterThan(100L * 10_000);
    assertThat(end.secondsSince(start)).isPositive();
    assertThat(kept[99]).hasSize(10_000);
  }
}
