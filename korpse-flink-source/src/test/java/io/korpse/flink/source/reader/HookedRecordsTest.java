package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.RecordHook;
import io.korpse.flink.source.RecordSize;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

final class HookedRecordsTest {

  private final MetricsOfReader metrics = new MetricsOfReader();

  @Test
  void gives_what_the_hook_gives() {
    ConsumerRecord<byte[], byte[]> other = record("t", 7);

    assertThat(hooked((record, drops) -> other).apply(record("t", 7))).isSameAs(other);
    assertThat(metrics.number("recordsDropped")).isZero();
  }

  @Test
  void counts_what_is_dropped_by_reason() {
    HookedRecords hooked =
        hooked(
            (record, drops) ->
                record.offset() < 3
                    ? drops.because("old")
                    : record.offset() == 3 ? drops.because("ugly") : null);

    for (int offset = 0; offset < 5; offset++) {
      assertThat(hooked.apply(record("t", offset))).isNull();
    }

    assertThat(metrics.number("recordsDropped")).isEqualTo(5);
    assertThat(metrics.number("drop.old.recordsDropped")).isEqualTo(3);
    assertThat(metrics.number("drop.ugly.recordsDropped")).isEqualTo(1);
    assertThat(metrics.number("drop.other.recordsDropped")).isEqualTo(1);
  }

  @Test
  void makes_no_metric_for_each_of_endless_reasons() {
    HookedRecords hooked = hooked((record, drops) -> drops.because("at " + record.offset()));

    for (int offset = 0; offset < 2 * HookedRecords.MAX_REASONS; offset++) {
      hooked.apply(record("t", offset));
    }

    assertThat(metrics.has("drop.at 0.recordsDropped")).isTrue();
    assertThat(metrics.has("drop.at " + HookedRecords.MAX_REASONS + ".recordsDropped")).isFalse();
    assertThat(metrics.number("drop.other.recordsDropped")).isEqualTo(HookedRecords.MAX_REASONS);
  }

  @Test
  void names_the_record_at_which_the_hook_failed() {
    HookedRecords hooked =
        hooked(
            (record, drops) -> {
              throw new java.io.IOException("no key");
            });

    assertThatThrownBy(() -> hooked.apply(record("t", 42)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("t-0@42")
        .hasRootCauseMessage("no key");
  }

  @Test
  void refuses_a_record_of_another_place() {
    assertThatThrownBy(() -> hooked((record, drops) -> record("u", 1)).apply(record("t", 1)))
        .hasMessageContaining("u-0@1")
        .hasMessageContaining("t-0@1");
  }

  @Test
  void sizes_must_be_above_zero() {
    assertThat(new SizedRecords(record -> 12).weigh(record("t", 1))).isEqualTo(12);
    assertThatThrownBy(() -> new SizedRecords(record -> 0).weigh(record("t", 9)))
        .hasMessage("The record size of t-0@9 is 0; it is above 0");
  }

  @Test
  void names_the_record_at_which_its_size_failed() {
    RecordSize failing =
        record -> {
          throw new IllegalArgumentException("no header");
        };

    assertThatThrownBy(() -> new SizedRecords(failing).weigh(record("t", 9)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("t-0@9")
        .hasRootCauseMessage("no header");
  }

  private HookedRecords hooked(RecordHook hook) {
    return new HookedRecords(hook, metrics);
  }

  private static ConsumerRecord<byte[], byte[]> record(String topic, long offset) {
    return new ConsumerRecord<>(topic, 0, offset, null, new byte[] {1});
  }
}
