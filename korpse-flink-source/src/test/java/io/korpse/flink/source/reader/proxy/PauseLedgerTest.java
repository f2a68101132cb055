package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PauseLedgerTest {

  private static final TopicPartition A = new TopicPartition("t", 0);
  private static final TopicPartition B = new TopicPartition("t", 1);

  private final PauseTimes times = new PauseTimes();
  private final PauseLedger ledger = new PauseLedger(times);
  private final PauseLedger.Entry a = new PauseLedger.Entry(A);
  private final PauseLedger.Entry b = new PauseLedger.Entry(B);
  private final SimConsumer consumer =
      new SimConsumer(new SimCluster(new SimScheduler()), SimConsumerConfig.defaults());

  @BeforeEach
  void assign() {
    consumer.assign(List.of(A, B));
  }

  @Test
  void resumes_only_when_the_last_reason_has_gone() {
    ledger.add(a, PauseReason.SPLIT_FULL, 0);
    ledger.add(a, PauseReason.ALIGNMENT, 0);
    ledger.apply(consumer);
    assertThat(consumer.paused()).containsExactly(A);

    ledger.remove(a, PauseReason.SPLIT_FULL, 1);
    ledger.apply(consumer);
    assertThat(consumer.paused()).containsExactly(A);

    ledger.remove(a, PauseReason.ALIGNMENT, 2);
    ledger.apply(consumer);
    assertThat(consumer.paused()).isEmpty();
  }

  @Test
  void says_whether_a_reason_is_new_or_was_there() {
    assertThat(ledger.add(a, PauseReason.SPLIT_FULL, 0)).isTrue();
    assertThat(ledger.add(a, PauseReason.SPLIT_FULL, 0)).isFalse();
    assertThat(ledger.remove(a, PauseReason.ALIGNMENT, 0)).isFalse();
    assertThat(ledger.remove(a, PauseReason.SPLIT_FULL, 0)).isTrue();
  }

  @Test
  void sends_differences_only() {
    ledger.add(a, PauseReason.SPLIT_FULL, 0);
    assertThat(ledger.apply(consumer)).isEqualTo(new PauseLedger.Delta(List.of(A), List.of()));
    assertThat(ledger.apply(consumer)).isSameAs(PauseLedger.Delta.NONE);

    ledger.add(a, PauseReason.ALIGNMENT, 0);
    ledger.add(b, PauseReason.ALIGNMENT, 0);
    ledger.remove(b, PauseReason.ALIGNMENT, 0);
    assertThat(ledger.apply(consumer).paused()).isEmpty();
    assertThat(consumer.calls().pauses).isEqualTo(1);
    assertThat(consumer.calls().redundantFlips).isZero();
  }

  @Test
  void tells_again_what_an_assignment_made_the_consumer_forget() {
    ledger.add(a, PauseReason.SPLIT_FULL, 0);
    ledger.apply(consumer);
    consumer.assign(Set.of(B));
    consumer.assign(List.of(A, B));
    assertThat(consumer.paused()).isEmpty();

    ledger.reassigned(a);
    ledger.reassigned(b);
    ledger.apply(consumer);
    assertThat(consumer.paused()).containsExactly(A);
  }

  @Test
  void calls_nothing_on_a_split_that_has_left() {
    ledger.add(a, PauseReason.SPLIT_FULL, 0);
    ledger.forget(a, 0);
    consumer.assign(Set.of(B));

    assertThat(ledger.apply(consumer)).isEqualTo(new PauseLedger.Delta(List.of(), List.of()));
    assertThat(ledger.pausedCount()).isZero();
    assertThat(times.pausedSplits()).isZero();
  }

  @Test
  void measures_each_reason_for_itself() {
    ledger.add(a, PauseReason.SPLIT_FULL, 0);
    ledger.add(a, PauseReason.ALIGNMENT, Duration.ofMillis(10).toNanos());
    ledger.remove(a, PauseReason.SPLIT_FULL, Duration.ofMillis(30).toNanos());
    ledger.remove(a, PauseReason.ALIGNMENT, Duration.ofMillis(30).toNanos());

    assertThat(times.pausedMillis(PauseReason.SPLIT_FULL)).isEqualTo(30);
    assertThat(times.pausedMillis(PauseReason.ALIGNMENT)).isEqualTo(20);
    assertThat(times.pauses(PauseReason.ALIGNMENT)).isEqualTo(1);
  }
}
