package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.DataLossPolicy;
import io.korpse.offsets.Position;
import io.korpse.offsets.lag.LagTracker;
import io.korpse.offsets.lag.PartitionLag;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class DataLossTest {

  private static final TopicPartition PARTITION = new TopicPartition("t", 0);
  private static final OptionalLong NO_DIVERGENCE = OptionalLong.empty();

  private final SplitStates states = new SplitStates(Clock.systemUTC());

  @Test
  void fails_with_the_numbers_and_the_remedy_by_default() {
    assertThatThrownBy(() -> decide(DataLossPolicy.FAIL, 10, NO_DIVERGENCE, 100, 200))
        .isInstanceOf(DataLossException.class)
        .hasMessageContaining("t-0")
        .hasMessageContaining("offset 10")
        .hasMessageContaining("100 to 200")
        .hasMessageContaining("removed 90 records")
        .hasMessageContaining("onDataLoss");
  }

  @Test
  void goes_on_at_the_log_start_or_the_log_end_after_retention() {
    assertThat(decide(DataLossPolicy.EARLIEST, 10, NO_DIVERGENCE, 100, 200)).isEqualTo(100);
    assertThat(decide(DataLossPolicy.LATEST, 10, NO_DIVERGENCE, 100, 200)).isEqualTo(200);
  }

  @ParameterizedTest
  @EnumSource(
      value = DataLossPolicy.class,
      names = {"EARLIEST", "LATEST"})
  void what_is_beyond_the_stop_was_not_wanted_and_is_not_lost(DataLossPolicy policy) {
    KorpseSplitState state = stopsAt(50);
    try (LagTracker lags = LagTracker.builder().admin(DataLossTest::noBroker).build()) {
      PartitionLag lag = lags.track(PARTITION, () -> 50);
      state.watch(lag, partition -> {});
      states.put("t-0", state);

      assertThat(decide(policy, 10, NO_DIVERGENCE, 1_000, 2_000)).isEqualTo(50);
      assertThat(lag.recordsLost()).isEqualTo(40);
    }
  }

  @Test
  void the_error_counts_no_more_than_was_wanted() {
    states.put("t-0", stopsAt(50));

    assertThatThrownBy(() -> decide(DataLossPolicy.FAIL, 10, NO_DIVERGENCE, 1_000, 2_000))
        .hasMessageContaining("removed 40 records");
  }

  @Test
  void goes_on_where_the_log_diverged_or_at_its_end_after_a_truncation() {
    assertThat(decide(DataLossPolicy.EARLIEST, 300, OptionalLong.of(150), 100, 200)).isEqualTo(150);
    assertThat(decide(DataLossPolicy.EARLIEST, 300, NO_DIVERGENCE, 100, 200)).isEqualTo(200);
    // Latest does not skip what was written after the truncation.
    assertThat(decide(DataLossPolicy.LATEST, 300, OptionalLong.of(150), 100, 200)).isEqualTo(150);
  }

  @Test
  void goes_on_where_the_log_diverged_also_beyond_the_last_stable_offset() {
    assertThat(decide(DataLossPolicy.EARLIEST, 300, OptionalLong.of(250), 100, 200)).isEqualTo(250);
  }

  @Test
  void an_offset_inside_the_log_is_no_loss() {
    assertThat(decide(DataLossPolicy.FAIL, 150, NO_DIVERGENCE, 100, 200)).isEqualTo(150);
  }

  @Test
  void a_divergence_inside_the_log_is_a_loss() {
    assertThatThrownBy(() -> decide(DataLossPolicy.FAIL, 150, OptionalLong.of(120), 100, 200))
        .isInstanceOf(DataLossException.class)
        .hasMessageContaining("diverged at 120");
  }

  @Test
  void a_split_that_has_emitted_nothing_follows_the_log_start() {
    states.put(
        "t-0",
        new KorpseSplitState(
            new KorpseSplit(
                PARTITION, Position.of(10), KorpseSplit.NO_STOP_OFFSET, Uuid.ZERO_UUID, true)));

    assertThat(decide(DataLossPolicy.FAIL, 10, NO_DIVERGENCE, 100, 200)).isEqualTo(100);
  }

  /** It is in the log, since a bounded job that waits for ever says nothing else. */
  @Test
  void a_stop_beyond_a_truncated_log_is_told() {
    assertThat(DataLoss.whenItEnds(stopsAt(300), 200))
        .contains("300", "100 beyond the end", "only when");
    assertThat(DataLoss.whenItEnds(stopsAt(200), 200)).isEmpty();
    assertThat(DataLoss.whenItEnds(stopsAt(KorpseSplit.NO_STOP_OFFSET), 200)).isEmpty();
    assertThat(DataLoss.whenItEnds(null, 200)).isEmpty();

    KorpseSplitState reached = stopsAt(300);
    reached.seeStop();
    assertThat(DataLoss.whenItEnds(reached, 200)).contains("ends when all that is there is read");
  }

  /** While a transaction is open the last stable offset is below what the log holds. */
  @Test
  void where_a_log_ends_is_its_high_watermark_also_when_reading_committed() {
    DataLoss loss =
        new DataLoss(
            DataLossTest::transactionFrom50To100,
            IsolationLevel.READ_COMMITTED,
            DataLossPolicy.FAIL,
            states);

    assertThat(loss.end(PARTITION).toCompletableFuture()).isCompletedWithValue(Position.of(100));
  }

  private static Admin noBroker() {
    throw new IllegalStateException("no broker");
  }

  private static Admin transactionFrom50To100() {
    return (Admin)
        Proxy.newProxyInstance(
            Admin.class.getClassLoader(),
            new Class<?>[] {Admin.class},
            (proxy, method, arguments) ->
                method.getName().equals("listOffsets")
                    ? end((ListOffsetsOptions) arguments[1])
                    : null);
  }

  private static ListOffsetsResult end(ListOffsetsOptions options) {
    long end = options.isolationLevel() == IsolationLevel.READ_COMMITTED ? 50 : 100;
    return new ListOffsetsResult(
        Map.of(
            PARTITION,
            KafkaFuture.completedFuture(new ListOffsetsResultInfo(end, -1, Optional.empty()))));
  }

  private static KorpseSplitState stopsAt(long offset) {
    return new KorpseSplitState(
        new KorpseSplit(PARTITION, Position.of(10), offset, Uuid.ZERO_UUID, false));
  }

  private long decide(
      DataLossPolicy policy, long offset, OptionalLong divergent, long start, long end) {
    DataLoss loss = new DataLoss(() -> null, IsolationLevel.READ_UNCOMMITTED, policy, states);
    return loss.decide(PARTITION, offset, divergent, start, end).offset();
  }
}
