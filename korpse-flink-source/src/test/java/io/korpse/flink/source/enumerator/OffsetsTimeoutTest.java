package io.korpse.flink.source.enumerator;

import static io.korpse.flink.source.enumerator.EnumeratorFixture.ID;
import static io.korpse.flink.source.enumerator.EnumeratorFixture.OTHER_ID;
import static io.korpse.flink.source.enumerator.EnumeratorFixture.t;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.TopicRemovalPolicy;
import io.korpse.flink.source.split.KorpseSplit;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How long a partition may be without offsets, where topics come and go meanwhile. */
final class OffsetsTimeoutTest {

  private final EnumeratorFixture fixture =
      new EnumeratorFixture()
          .with(KorpseSourceOptions.ON_TOPIC_REMOVED, TopicRemovalPolicy.CONTINUE)
          .with(KorpseSourceOptions.DISCOVERY_INTERVAL, 10_000L)
          .with(KorpseSourceOptions.OFFSETS_TIMEOUT, Duration.ofSeconds(60));

  /** A topic that has just been created often has no leader for a moment. */
  @Test
  void a_topic_that_comes_again_later_has_all_the_time() {
    fixture.cluster.topic("t", 1, ID).fail(t(0), true);
    fixture.start(1).reader(0);
    fixture.cluster.missing("t");
    fixture.pass(Duration.ofHours(2));
    fixture.cluster.topic("t", 1, OTHER_ID);
    fixture.pass(Duration.ofSeconds(30));

    fixture.cluster.heal(t(0));
    fixture.pass(Duration.ofSeconds(2));

    assertThat(fixture.context.assigned(0))
        .extracting(KorpseSplit::topicId)
        .containsExactly(OTHER_ID);
  }

  @Test
  void a_topic_that_was_created_again_at_once_has_all_the_time() {
    fixture.cluster.topic("t", 1, ID).fail(t(0), true);
    fixture.start(1).reader(0);
    fixture.pass(Duration.ofSeconds(45));
    fixture.cluster.topic("t", 1, OTHER_ID);
    fixture.pass(Duration.ofSeconds(50));

    assertThatThrownBy(() -> fixture.pass(Duration.ofSeconds(40)))
        .hasMessageContaining("t-0 has no leader");
  }
}
