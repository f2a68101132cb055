package io.korpse.flink.source.enumerator;

import static io.korpse.flink.source.enumerator.EnumeratorFixture.ID;
import static io.korpse.flink.source.enumerator.EnumeratorFixture.t;
import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.TopicRemovalPolicy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Each metric of the enumerator, by its name. */
final class EnumeratorMetricsTest {

  private static final Duration INTERVAL = Duration.ofSeconds(10);

  private final EnumeratorFixture fixture =
      new EnumeratorFixture()
          .with(KorpseSourceOptions.DISCOVERY_INTERVAL, INTERVAL.toMillis())
          .with(KorpseSourceOptions.ON_TOPIC_REMOVED, TopicRemovalPolicy.CONTINUE);

  @Test
  void there_are_these_and_no_others() {
    fixture.cluster.topic("t", 1, ID);
    fixture.start(1);

    assertThat(fixture.context.metrics.names())
        .extracting(name -> name.replaceFirst("^enumerator\\.", ""))
        .containsExactlyInAnyOrder(
            "unassignedSplits",
            "KorpseSourceEnumerator.discoveriesSucceeded",
            "KorpseSourceEnumerator.discoveriesFailed",
            "KorpseSourceEnumerator.discoveryTime",
            "KorpseSourceEnumerator.partitionsRemoved",
            "KorpseSourceEnumerator.assignedSplits",
            "KorpseSourceEnumerator.partitionsWithoutOffsets");
  }

  @Test
  void show_where_each_partition_is() {
    fixture.cluster.topic("t", 3, ID);
    fixture.cluster.fail(t(2), true);
    fixture.start(1);

    assertThat(number("unassignedSplits")).isEqualTo(2);
    assertThat(number("KorpseSourceEnumerator.partitionsWithoutOffsets")).isEqualTo(1);
    assertThat(number("KorpseSourceEnumerator.assignedSplits")).isZero();

    fixture.reader(0);

    assertThat(number("unassignedSplits")).isZero();
    assertThat(number("KorpseSourceEnumerator.assignedSplits")).isEqualTo(2);
  }

  @Test
  void count_discoveries_and_what_they_missed() {
    fixture.cluster.topic("t", 2, ID);
    fixture.start(1).reader(0);
    assertThat(number("KorpseSourceEnumerator.discoveriesSucceeded")).isEqualTo(1);
    assertThat(number("KorpseSourceEnumerator.discoveryTime")).isNotNegative();

    fixture.cluster.failNext(1);
    fixture.cluster.missing("t");
    fixture.pass(INTERVAL.plusSeconds(5));

    assertThat(number("KorpseSourceEnumerator.discoveriesFailed")).isEqualTo(1);
    assertThat(number("KorpseSourceEnumerator.discoveriesSucceeded")).isEqualTo(3);
    assertThat(number("KorpseSourceEnumerator.partitionsRemoved")).isEqualTo(2);
  }

  private long number(String name) {
    return fixture.context.metrics.names().stream()
        .filter(each -> each.endsWith(name))
        .mapToLong(fixture.context.metrics::number)
        .findFirst()
        .orElseThrow();
  }
}
