package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PausedRestsTest {

  private final SplitBuffer a = Buffers.empty(0);
  private final SplitBuffer b = Buffers.empty(1);
  private final SplitBuffer c = Buffers.empty(2);
  private final PausedRests rests = new PausedRests();

  @Test
  void splits_that_are_paused_together_are_one_group() {
    rests.paused(List.of(a, b));
    rests.paused(List.of(c));

    assertThat(rests.groups()).isEqualTo(2);
    assertThat(rests.oldest()).containsExactly(a, b);
  }

  @Test
  void a_split_that_is_open_again_stays_in_its_group_until_the_client_has_given_all() {
    rests.paused(List.of(a));
    rests.resumed(a);
    assertThat(rests.groups()).isEqualTo(1);

    rests.polled(true);
    assertThat(rests.groups()).isZero();
  }

  @Test
  void a_split_paused_again_before_its_rest_was_read_may_have_either() {
    rests.paused(List.of(a));
    rests.resumed(a);
    rests.paused(List.of(a, b));
    rests.polled(true);

    assertThat(rests.groups()).isEqualTo(2);
    assertThat(rests.oldest()).containsExactly(a);

    rests.dropped(a);
    assertThat(rests.groups()).isEqualTo(1);
    assertThat(rests.oldest()).containsExactly(b);
  }

  @Test
  void a_split_paused_again_after_its_rest_was_read_is_in_the_new_group_alone() {
    rests.paused(List.of(a, b));
    rests.resumed(a);
    rests.polled(true);
    rests.paused(List.of(a));

    assertThat(rests.groups()).isEqualTo(2);
    assertThat(rests.oldest()).containsExactly(b);
  }

  @Test
  void what_the_client_dropped_leaves_every_group() {
    rests.paused(List.of(a));
    rests.resumed(a);
    rests.dropped(a);
    rests.paused(List.of(b));
    rests.polled(true);

    assertThat(rests.groups()).isEqualTo(1);
    assertThat(rests.oldest()).containsExactly(b);
  }

  @Test
  void a_rest_is_read_when_a_poll_goes_on_with_another_split() {
    rests.paused(List.of(a));
    rests.paused(List.of(b));
    rests.resumed(a);
    rests.resumed(b);
    rests.gives(a);
    rests.polled(false);
    assertThat(rests.groups()).isEqualTo(2);

    rests.gives(b);
    rests.polled(false);
    assertThat(rests.groups()).isEqualTo(1);
    assertThat(rests.oldest()).containsExactly(b);
  }

  @Test
  void a_rest_whose_reading_a_pause_broke_off_is_still_there() {
    rests.paused(List.of(a));
    rests.resumed(a);
    rests.gives(a);
    rests.polled(false);
    rests.paused(List.of(a));
    rests.polled(false);

    assertThat(rests.groups()).isEqualTo(2);
    assertThat(rests.oldest()).containsExactly(a);
  }
}
