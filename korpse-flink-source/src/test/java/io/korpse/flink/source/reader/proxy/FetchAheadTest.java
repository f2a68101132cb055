package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FetchAheadTest {

  private final FetchAhead ahead = new FetchAhead();
  private final List<SplitBuffer> splits = IntStream.range(0, 4).mapToObj(Buffers::empty).toList();

  @BeforeEach
  void more_on_the_broker() {
    splits.forEach(split -> split.observeEnd(1_000));
  }

  @Test
  void asks_for_the_drained_half_once_it_is_that() {
    poll(0);
    assertThat(toPause()).isEmpty();
    poll(0, 1);
    poll(1);
    assertThat(toPause()).as("one of four is drained").isEmpty();
    poll(2);

    assertThat(toPause()).containsExactly(partition(2), partition(3));
    assertThat(ahead.isAsked(splits.get(0))).isTrue();
    assertThat(ahead.isAsked(splits.get(2))).isFalse();
  }

  @Test
  void asks_again_only_when_the_answer_is_being_read() {
    askForTheFirstTwo();
    poll(2, 3);
    poll(3);
    assertThat(toPause()).as("not read yet").isEmpty();

    poll(0);
    poll(0, 1);

    assertThat(toPause()).containsExactly(partition(0), partition(1));
  }

  @Test
  void asks_for_nothing_when_the_answer_came_at_once_until_all_is_read() {
    askForTheFirstTwo();
    ahead.cameEarly();
    poll(0);
    poll(1);
    poll(2);
    assertThat(ahead.isAsking()).isTrue();
    assertThat(toPause()).isEmpty();

    ahead.polled(true);

    assertThat(ahead.isAsking()).isFalse();
  }

  @Test
  void starts_anew_when_all_is_read() {
    poll(0);
    poll(1);
    poll(2);
    ahead.polled(true);

    assertThat(toPause()).isEmpty();
  }

  /** The broker would keep such a fetch, and with it those for the others. */
  @Test
  void does_not_ask_for_what_the_broker_has_nothing_of() {
    splits.get(0).observeEnd(0);
    splits.get(1).observeEnd(0);
    poll(0);
    poll(1);
    poll(2);

    assertThat(toPause()).isEmpty();
    assertThat(ahead.isAsking()).isFalse();
  }

  /** Order would wait for it, and it is in the fetch after this one only. */
  @Test
  void does_not_ask_without_the_one_that_has_the_most_to_come() {
    splits.get(3).observeEnd(10_000);
    poll(0);
    poll(1);
    poll(2);

    assertThat(toPause()).isEmpty();
  }

  @Test
  void leaves_ended_splits_as_they_are() {
    splits.get(1).finishFetching();
    ahead.dropped(splits.get(1));
    poll(0);
    poll(2);
    poll(3);

    assertThat(ahead.toPause(splits, 3)).containsExactly(partition(3));
  }

  @Test
  void does_not_ask_with_many_splits_open() {
    poll(0);
    poll(1);
    poll(2);

    assertThat(ahead.toPause(splits, 17)).isEmpty();
  }

  private void askForTheFirstTwo() {
    poll(0);
    poll(1);
    poll(2);
    assertThat(toPause()).hasSize(2);
  }

  private List<TopicPartition> toPause() {
    return ahead.toPause(splits, splits.size());
  }

  private void poll(int... numbers) {
    Arrays.stream(numbers).mapToObj(splits::get).forEach(ahead::gives);
    ahead.polled(false);
  }

  private static TopicPartition partition(int number) {
    return new TopicPartition("t", number);
  }
}
