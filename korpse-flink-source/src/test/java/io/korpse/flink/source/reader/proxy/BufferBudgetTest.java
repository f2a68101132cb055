package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BufferBudgetTest {

  @Test
  void counts_bytes_until_their_batch_comes_back() {
    BufferBudget budget = new BufferBudget(1_000);
    budget.reserve(300);
    budget.batchHandedOver();
    assertThat(budget.used()).isEqualTo(300);
    assertThat(budget.batches()).isEqualTo(1);

    budget.batchReturned(200);
    budget.release(100);
    assertThat(budget.used()).isZero();
    assertThat(budget.batches()).isZero();
  }

  @Test
  void remembers_the_most_that_it_ever_held() {
    BufferBudget budget = new BufferBudget(1_000);
    budget.reserve(700);
    budget.release(600);
    budget.reserve(100);

    assertThat(budget.peak()).isEqualTo(700);
  }

  @Test
  void refuses_a_budget_that_lets_nothing_through() {
    assertThatThrownBy(() -> new BufferBudget(0)).hasMessageContaining("0 bytes");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 10, 100, 1_000, 1_000_000})
  void i10_guarantees_every_split_something_however_many_there_are(int splits) {
    ProxyLimits limits =
        new ProxyLimits(100, 50, 10, 5, 1_000, 10, 1, 10, 1, 1, Duration.ofMillis(100));

    assertThat(limits.floorBytes(splits)).isBetween(1L, 100L);
  }
}
