package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PollSizeTest {

  private static final long SECOND = 1_000_000_000L;
  private static final long QUOTA = 1_000_000;

  @Test
  void asks_for_no_new_consumer_while_polls_fit() {
    PollSize size = new PollSize(1000, false);

    assertThat(size.review(1000, 0, QUOTA / 2, QUOTA, SECOND)).isFalse();
    assertThat(size.count()).isEqualTo(1000);
  }

  @Test
  void shrinks_to_what_fitted_when_most_of_a_poll_was_withheld() {
    PollSize size = new PollSize(1000, false);

    assertThat(size.review(4, 900, QUOTA, QUOTA, SECOND)).isTrue();
    assertThat(size.count()).isEqualTo(4);
  }

  @Test
  void bears_a_little_waste() {
    PollSize size = new PollSize(1000, false);

    assertThat(size.review(500, 20, QUOTA, QUOTA, SECOND)).isFalse();
  }

  @Test
  void shrinks_when_each_poll_wastes_a_little_more_than_it_brings() {
    PollSize size = new PollSize(26, false);

    int polls = 1;
    while (!size.review(3, 7, QUOTA, QUOTA, SECOND) && polls < 100) {
      polls++;
    }
    assertThat(polls).isEqualTo(4);
    assertThat(size.count()).isEqualTo(3);
  }

  @Test
  void forgets_waste_that_polls_without_any_have_made_up_for() {
    PollSize size = new PollSize(26, false);

    for (int i = 0; i < 100; i++) {
      assertThat(size.review(3, 7, QUOTA, QUOTA, SECOND)).isFalse();
      assertThat(size.review(10, 0, QUOTA / 4, QUOTA, SECOND)).isFalse();
    }
  }

  @Test
  void grows_again_after_many_small_full_polls_and_not_at_once() {
    PollSize size = new PollSize(1000, false);
    size.review(4, 900, QUOTA, QUOTA, SECOND);

    int polls = 0;
    while (!size.review(size.count(), 0, QUOTA / 100, QUOTA, 2 * SECOND) && polls < 1000) {
      polls++;
    }
    assertThat(polls).isEqualTo(1000);
    assertThat(size.review(size.count(), 0, QUOTA / 100, QUOTA, 20 * SECOND)).isTrue();
    assertThat(size.count()).isEqualTo(32);
  }

  @Test
  void takes_more_in_a_poll_from_thousands_of_splits() {
    PollSize few = new PollSize(1000, false);
    few.fitTo(999);
    PollSize many = new PollSize(1000, false);
    many.fitTo(2000);
    PollSize fixed = new PollSize(1000, true);
    fixed.fitTo(2000);

    assertThat(few.count()).isEqualTo(1000);
    assertThat(many.count()).isEqualTo(3000);
    assertThat(fixed.count()).isEqualTo(1000);
  }

  @Test
  void leaves_the_users_own_number_alone() {
    PollSize size = new PollSize(500, true);

    assertThat(size.review(1, 499, QUOTA, QUOTA, SECOND)).isFalse();
    assertThat(size.count()).isEqualTo(500);
  }
}
