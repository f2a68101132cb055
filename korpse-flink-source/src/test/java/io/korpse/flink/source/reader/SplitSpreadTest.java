package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class SplitSpreadTest {

  private final SplitSpread spread = new SplitSpread(3);

  @Test
  void gives_a_new_split_to_who_has_the_fewest() {
    assertThat(List.of("a", "b", "c", "d").stream().map(spread::place)).containsExactly(0, 1, 2, 0);

    spread.remove("b");

    assertThat(spread.place("e")).isEqualTo(1);
    assertThat(spread.place("f")).isEqualTo(1);
  }

  @Test
  void leaves_a_split_where_it_is_whatever_comes_and_goes() {
    Random random = new Random(7);
    int lane = spread.place("stays");
    for (int i = 0; i < 200; i++) {
      spread.place("s" + random.nextInt(20));
      spread.remove("s" + random.nextInt(20));
      assertThat(spread.place("stays")).isEqualTo(lane);
    }
  }

  @Test
  void what_left_is_nowhere() {
    int lane = spread.place("a");

    assertThat(spread.remove("a")).isEqualTo(lane);
    assertThat(spread.laneOf("a")).isEqualTo(SplitSpread.NOWHERE);
    assertThat(spread.remove("a")).isEqualTo(SplitSpread.NOWHERE);
  }
}
