package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.reader.proxy.ProxyControl;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a control was told shows in {@link ProxyControl#toString()}. */
final class LaneWishesTest {

  private final SplitSpread spread = new SplitSpread(2);
  private final List<ProxyControl> controls = List.of(new ProxyControl(), new ProxyControl());
  private final List<Integer> left = new ArrayList<>();
  private final LaneWishes wishes = new LaneWishes(spread, controls, left::add);

  LaneWishesTest() {
    spread.place("a");
    spread.place("b");
  }

  @Test
  void a_wish_reaches_the_consumer_of_its_split_and_no_other() {
    wishes.pauseOrResume(List.of("a", "b", "gone"), List.of());
    wishes.pauseOrResume(List.of(), List.of("b"));
    wishes.finish("b");
    wishes.stopAt("a", 7);

    assertThat(controls.get(0)).hasToString("ProxyControl[held [a], ended [], stops {a=7}]");
    assertThat(controls.get(1)).hasToString("ProxyControl[held [], ended [b], stops {}]");
  }

  @Test
  void a_split_that_left_is_forgotten_where_it_was() {
    wishes.stopAt("b", 7);
    wishes.forget("b");
    wishes.forget("b");
    wishes.forget("gone");

    assertThat(controls.get(1)).hasToString("ProxyControl[held [], ended [], stops {}]");
    assertThat(left).containsExactly(1);
    assertThat(spread.laneOf("b")).isEqualTo(SplitSpread.NOWHERE);
  }
}
