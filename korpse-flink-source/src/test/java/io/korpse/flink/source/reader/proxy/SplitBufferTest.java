package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

class SplitBufferTest {

  @Test
  void counts_what_is_buffered_and_what_is_handed_over() {
    SplitBuffer buffer = Buffers.with(0, 1, 2, 3);
    assertThat(buffer.bytes()).isEqualTo(3 * Buffers.WEIGHT);

    HandoverBatch batch = Buffers.batch(2);
    assertThat(buffer.take(batch, Long.MAX_VALUE, Long.MAX_VALUE)).isEqualTo(2 * Buffers.WEIGHT);
    assertThat(buffer.records()).isEqualTo(1);
    assertThat(buffer.heldRecords()).isEqualTo(3);
    assertThat(buffer.heldBytes()).isEqualTo(3 * Buffers.WEIGHT);

    batch.settle();
    assertThat(buffer.heldRecords()).isEqualTo(1);
    assertThat(buffer.heldBytes()).isEqualTo(Buffers.WEIGHT);
  }

  @Test
  void frees_with_small_records_no_room_that_a_large_one_still_takes() {
    SplitBuffer buffer = Buffers.weighing(0, record -> record.offset() == 99 ? 900_000 : 1_000);
    Buffers.add(buffer, new long[100]);

    HandoverBatch small = Buffers.batch(99);
    assertThat(buffer.take(small, Long.MAX_VALUE, Long.MAX_VALUE)).isEqualTo(99_000);
    small.settle();
    assertThat(buffer.heldBytes()).isEqualTo(900_000);

    HandoverBatch large = Buffers.batch(99);
    assertThat(buffer.take(large, Long.MAX_VALUE, Long.MAX_VALUE)).isEqualTo(900_000);
    large.settle();
    assertThat(buffer.heldBytes()).isZero();
  }

  @Test
  void ends_a_run_before_the_record_that_goes_beyond_the_allowance() {
    SplitBuffer buffer = Buffers.weighing(0, record -> 100 * (int) (record.offset() + 1));
    Buffers.add(buffer, 1, 2, 3, 4);

    assertThat(offsets(take(buffer, 10, Long.MAX_VALUE, 599))).containsExactly(0L, 1L);
    assertThat(offsets(take(buffer, 10, Long.MAX_VALUE, 700))).containsExactly(2L, 3L);
  }

  @Test
  void gives_the_records_of_each_poll_as_a_run_of_its_own_in_order() {
    SplitBuffer buffer = Buffers.with(0, 1, 2);
    Buffers.add(buffer, 3, 4);

    assertThat(offsets(take(buffer, 10, Long.MAX_VALUE, Long.MAX_VALUE))).containsExactly(0L, 1L);
    assertThat(offsets(take(buffer, 10, Long.MAX_VALUE, Long.MAX_VALUE))).containsExactly(2L, 3L);
    assertThat(buffer.isEmpty()).isTrue();
  }

  @Test
  void ends_a_run_at_a_time_but_takes_at_least_one_record() {
    SplitBuffer buffer = Buffers.with(0, 10, 20, 30);

    assertThat(offsets(take(buffer, 10, 20, Long.MAX_VALUE))).containsExactly(0L, 1L);
    assertThat(offsets(take(buffer, 10, 20, Long.MAX_VALUE))).containsExactly(2L);
  }

  @Test
  void ends_a_run_before_it_goes_beyond_the_allowance() {
    SplitBuffer buffer = Buffers.with(0, 1, 2, 3);

    assertThat(offsets(take(buffer, 10, Long.MAX_VALUE, 2 * Buffers.WEIGHT + 1)))
        .containsExactly(0L, 1L);
    assertThat(offsets(take(buffer, 10, Long.MAX_VALUE, 1))).containsExactly(2L);
  }

  @Test
  void moves_past_gaps_with_the_run_that_holds_the_last_record_of_a_poll() {
    SplitBuffer buffer = Buffers.empty(0);
    buffer.append(Buffers.records(buffer, 1, 2), 7, Buffers.EPOCH);

    assertThat(positionAfter(buffer, 1)).isEqualTo(1);
    assertThat(positionAfter(buffer, 1)).isEqualTo(7);
  }

  @Test
  void has_a_run_without_records_when_only_the_position_moved() {
    SplitBuffer buffer = Buffers.empty(0);
    buffer.append(List.of(), 5, Buffers.EPOCH);

    assertThat(buffer.isEmpty()).isTrue();
    assertThat(buffer.hasRun()).isTrue();
    assertThat(positionAfter(buffer, 10)).isEqualTo(5);
    assertThat(buffer.hasRun()).isFalse();
  }

  @Test
  void has_no_run_when_it_goes_on_where_it_was() {
    SplitBuffer buffer = Buffers.empty(0);
    buffer.moveFetchTo(0, -1);
    assertThat(buffer.hasRun()).isFalse();

    buffer.moveFetchTo(9, -1);
    assertThat(buffer.hasRun()).isTrue();
    assertThat(buffer.trustsEpoch()).isFalse();
  }

  @Test
  void lets_a_position_that_moved_go_with_the_records_before_it() {
    SplitBuffer buffer = Buffers.with(0, 1, 2);
    buffer.append(List.of(), 9, Buffers.EPOCH);

    assertThat(positionAfter(buffer, 10)).isEqualTo(9);
  }

  @Test
  void takes_the_last_known_time_for_a_head_without_one() {
    SplitBuffer buffer = Buffers.with(0, 50, -1);
    take(buffer, 1, Long.MAX_VALUE, Long.MAX_VALUE);

    assertThat(buffer.headTime()).isEqualTo(50);
    assertThat(Buffers.with(1, -1).headTime()).isEqualTo(SplitBuffer.NO_TIME);
  }

  @Test
  void frees_what_it_discards_but_not_what_is_handed_over() {
    SplitBuffer buffer = Buffers.with(0, 1, 2, 3);
    HandoverBatch batch = Buffers.batch(1);
    buffer.take(batch, Long.MAX_VALUE, Long.MAX_VALUE);

    assertThat(buffer.discard()).isEqualTo(2 * Buffers.WEIGHT);
    assertThat(buffer.hasRun()).isFalse();
    assertThat(buffer.heldBytes()).isEqualTo(Buffers.WEIGHT);
    batch.settle();
    assertThat(buffer.heldBytes()).isZero();
  }

  @Test
  void lags_up_to_its_end_or_the_end_of_the_log_whichever_comes_first() {
    SplitBuffer buffer = Buffers.endingAt(0, 10);
    buffer.observeEnd(50);
    assertThat(buffer.knownLag()).isEqualTo(10);
    buffer.append(Buffers.records(buffer, 1, 2), 2, Buffers.EPOCH);
    assertThat(buffer.knownLag()).isEqualTo(8);

    assertThat(Buffers.empty(1).knownLag()).as("an end that was never known").isZero();
  }

  @Test
  void is_drained_when_all_before_its_end_was_taken() {
    SplitBuffer buffer = Buffers.with(0, 1);
    buffer.finishFetching();
    assertThat(buffer.isDrained()).isFalse();

    take(buffer, 1, Long.MAX_VALUE, Long.MAX_VALUE);
    assertThat(buffer.isDrained()).isTrue();
  }

  private static HandoverBatch take(
      SplitBuffer buffer, int records, long untilTime, long allowance) {
    HandoverBatch batch = Buffers.batch(records);
    buffer.take(batch, untilTime, allowance);
    return batch;
  }

  private static List<Long> offsets(HandoverBatch batch) {
    List<Long> offsets = new ArrayList<>();
    assertThat(batch.nextSplit()).isNotNull();
    for (ConsumerRecord<byte[], byte[]> record = batch.nextRecordFromSplit();
        record != null;
        record = batch.nextRecordFromSplit()) {
      offsets.add(record.offset());
    }
    return offsets;
  }

  /** Takes a run and reads it to its end; where the split is then. */
  private static long positionAfter(SplitBuffer buffer, int records) {
    HandoverBatch batch = take(buffer, records, Long.MAX_VALUE, Long.MAX_VALUE);
    return batch.runOffset(batch.runs() - 1);
  }
}
