package io.korpse.flink.source.enumerator;

import static io.korpse.flink.source.enumerator.EnumeratorFixture.ID;
import static io.korpse.flink.source.enumerator.EnumeratorFixture.t;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.enumerator.event.TopicSuspectedEvent;
import io.korpse.offsets.OffsetRule;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Topics and partitions that are found later or not, and looks that fail. */
final class DiscoveryTest {

  private static final Duration INTERVAL = Duration.ofMinutes(5);

  private final EnumeratorFixture fixture = new EnumeratorFixture();

  @Test
  void names_a_topic_that_does_not_exist_after_a_second_look() {
    fixture.cluster.missing("t");
    fixture.start(1);

    assertThatThrownBy(() -> fixture.pass(Duration.ofSeconds(2)))
        .hasMessageContaining("[t]")
        .hasMessageContaining("broker:9092")
        .hasMessageContaining("never creates topics");
  }

  @Test
  void waits_a_second_for_a_topic_that_was_just_created() {
    fixture.cluster.missing("t");
    fixture.bounded(OffsetRule.latest()).start(1).reader(0);
    assertThat(fixture.context.isTold(0)).isFalse();

    fixture.cluster.topic("t", 1, ID);
    fixture.pass(Duration.ofSeconds(2));

    assertThat(fixture.context.assigned(0)).hasSize(1);
    assertThat(fixture.context.isTold(0)).isTrue();
  }

  /** W18: later partitions have a start policy of their own. */
  @Test
  void starts_new_partitions_by_their_own_rule() {
    fixture.cluster.topic("t", 1, ID);
    fixture.start(1).reader(0);
    fixture.cluster.topic("t", 2, ID);

    fixture.pass(INTERVAL);

    assertThat(fixture.context.assigned(0))
        .extracting(split -> split.position().offset())
        .containsExactly(50L, 10L);
  }

  /** The other connector takes the start for them until it has found something. */
  @Test
  void what_comes_after_a_look_that_found_nothing_counts_as_new() {
    fixture.pattern("t").start(1).reader(0);
    fixture.cluster.topic("t", 1, ID);

    fixture.pass(INTERVAL);

    assertThat(fixture.context.assigned(0))
        .extracting(split -> split.position().offset())
        .containsExactly(10L);
  }

  /** W23: a failed metadata call does not restart the job. */
  @Test
  void tolerates_failed_discoveries_after_the_first() {
    fixture.cluster.topic("t", 1, ID);
    fixture.with(KorpseSourceOptions.DISCOVERY_FAILURES, 3).start(1).reader(0);
    fixture.cluster.failNext(3);
    fixture.cluster.topic("t", 2, ID);

    fixture.pass(INTERVAL.plusSeconds(10));

    assertThat(fixture.context.assigned(0)).hasSize(2);
  }

  @Test
  void fails_when_too_many_discoveries_fail_in_a_row() {
    fixture.cluster.topic("t", 1, ID);
    fixture.with(KorpseSourceOptions.DISCOVERY_FAILURES, 3).start(1).reader(0);
    fixture.cluster.failNext(4);

    assertThatThrownBy(() -> fixture.pass(INTERVAL.plusSeconds(60)))
        .hasMessageContaining("4 failures in a row")
        .hasMessageContaining("the cluster is away");
  }

  @Test
  void fails_when_the_first_discovery_does() {
    fixture.cluster.failNext(1);

    assertThatThrownBy(() -> fixture.start(1)).hasMessageContaining("the cluster is away");
  }

  /** A reader suspects once a second: the tolerated failures went by in as many seconds. */
  @Test
  void a_suspicion_does_not_shorten_the_wait_after_a_failed_look() {
    fixture.cluster.topic("t", 1, ID);
    fixture.with(KorpseSourceOptions.DISCOVERY_FAILURES, 20).start(1).reader(0);
    fixture.cluster.failNext(1_000);
    for (int second = 0; second < 31; second++) {
      fixture.enumerator.handleSourceEvent(0, new TopicSuspectedEvent(t(0)));
      fixture.pass(Duration.ofSeconds(1));
    }

    assertThat(fixture.cluster.discoveries()).as("at 0, 1, 3, 7 and 15 s").isLessThanOrEqualTo(7);
  }
}
