package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

final class KorpseSplitStateTest {

  @Test
  void moves_to_the_offset_after_an_emitted_record_with_its_epoch() {
    KorpseSplitState state = state(5, KorpseSplit.NO_STOP_OFFSET, true);

    state.emitted(record(7, 3));

    assertThat(state.toSplit().position()).isEqualTo(new Position(8, 3));
  }

  @Test
  void moves_past_a_gap_when_a_run_has_ended() {
    KorpseSplitState state = state(5, KorpseSplit.NO_STOP_OFFSET, true);

    state.moveTo(12, 4);

    assertThat(state.toSplit().position()).isEqualTo(new Position(12, 4));
  }

  @Test
  void is_pristine_until_the_first_record_and_not_until_the_first_gap() {
    KorpseSplitState state = state(5, KorpseSplit.NO_STOP_OFFSET, true);
    state.moveTo(6, 0);
    assertThat(state.toSplit().pristine()).isTrue();

    state.emitted(record(6, 0));
    assertThat(state.toSplit().pristine()).isFalse();
  }

  /** Of a pristine split retention takes nothing that it was promised. */
  @Test
  void wants_nothing_in_particular_while_it_is_pristine_and_then_all_up_to_its_stop() {
    KorpseSplitState state = state(5, 50, true);
    assertThat(state.wantedUntil()).isZero();

    state.emitted(record(6, 0));
    assertThat(state.wantedUntil()).isEqualTo(50);
  }

  @Test
  void the_record_that_ends_a_split_sets_its_stop_offset_and_nothing_goes_beyond() {
    KorpseSplitState state = state(5, KorpseSplit.NO_STOP_OFFSET, false);
    state.endAtCurrent();
    state.emitted(record(9, 0));

    state.moveTo(50, 0);

    assertThat(state.stopOffset()).isEqualTo(10);
    assertThat(state.toSplit().position().offset()).isEqualTo(10);
    assertThat(state.toSplit().stopOffset()).isEqualTo(10);
  }

  @Test
  void tells_when_the_position_goes_back_and_only_then() {
    List<TopicPartition> told = new ArrayList<>();
    KorpseSplitState state = state(5, KorpseSplit.NO_STOP_OFFSET, false);
    state.watch(null, told::add);
    state.moveTo(5, 0);
    state.emitted(record(9, 0));
    assertThat(told).isEmpty();

    state.moveTo(7, 1);

    assertThat(told).containsExactly(state.partition());
    assertThat(state.toSplit().position()).isEqualTo(new Position(7, 1));
  }

  private static KorpseSplitState state(long offset, long stop, boolean pristine) {
    return new KorpseSplitState(
        new KorpseSplit(
            new TopicPartition("t", 0), Position.of(offset), stop, Uuid.ZERO_UUID, pristine));
  }

  private static ConsumerRecord<byte[], byte[]> record(long offset, int epoch) {
    return new ConsumerRecord<>(
        "t",
        0,
        offset,
        0,
        TimestampType.CREATE_TIME,
        0,
        0,
        null,
        new byte[0],
        new RecordHeaders(),
        Optional.of(epoch));
  }
}
