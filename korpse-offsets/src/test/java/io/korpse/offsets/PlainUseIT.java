package io.korpse.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korpse.offsets.Resolution.Resolved;
import io.korpse.offsets.commit.CommitState;
import io.korpse.offsets.commit.OffsetCommitter;
import io.korpse.offsets.lag.LagTracker;
import io.korpse.offsets.lag.LagValue;
import io.korpse.offsets.lag.PartitionLag;
import io.korpse.testing.EmbeddedBroker;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Start, commit and lag against a real broker when nothing goes wrong. */
@Timeout(120)
final class PlainUseIT {

  private static final TopicPartition P0 = new TopicPartition("flights", 0);
  private static final TopicPartition P1 = new TopicPartition("flights", 1);

  @Test
  void resolves_commits_and_tells_the_lag() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start();
        Admin admin = broker.admin()) {
      broker.createTopic("flights", 2);
      broker.produce(P0, 1_000, 10);
      OffsetResolver resolver =
          new OffsetResolver(
              admin,
              "g",
              IsolationLevel.READ_COMMITTED,
              DataLossPolicy.FAIL,
              Duration.ofSeconds(30),
              Clock.systemUTC());
      assertThat(start(resolver, OffsetRule.earliest())).containsExactly(0L, 0L);
      assertThat(start(resolver, OffsetRule.latest())).containsExactly(10L, 0L);
      assertThat(start(resolver, OffsetRule.timestamp(1_004))).containsExactly(4L, 0L);
      assertThat(start(resolver, OffsetRule.committed(OffsetRule.latest())))
          .containsExactly(10L, 0L);

      SharedAdmin shared = new SharedAdmin(broker::admin);
      try (OffsetCommitter committer =
              OffsetCommitter.builder().admin(shared).groupId("g").identity("test").build();
          LagTracker tracker = LagTracker.builder().admin(shared).build()) {
        AtomicLong position = new AtomicLong(7);
        PartitionLag lag = tracker.track(P0, position::get);
        committer.submit(1, Map.of(P0, Position.of(7)));
        assertThat(committer.flush(Duration.ofSeconds(30))).isTrue();
        assertThat(committer.status().state()).isEqualTo(CommitState.COMMITTING);
        assertThat(committer.status().succeeded()).isEqualTo(1);
        assertThat(committer.status().committed(P0)).contains(Position.of(7));
        await().untilAsserted(() -> assertThat(lag.recordsLag()).isEqualTo(LagValue.of(3)));
        assertThat(tracker.total().recordsLag()).isEqualTo(LagValue.of(3));
      }
      assertThat(start(resolver, OffsetRule.committed(OffsetRule.earliest())))
          .containsExactly(7L, 0L);
      await()
          .untilAsserted(
              () ->
                  assertThat(Thread.getAllStackTraces().keySet())
                      .noneMatch(thread -> thread.getName().startsWith("korpse-")));
    }
  }

  private static List<Long> start(OffsetResolver resolver, OffsetRule rule) {
    Map<TopicPartition, Resolution> answers = resolver.resolve(List.of(P0, P1), rule);
    return List.of(P0, P1).stream()
        .map(partition -> ((Resolved) answers.get(partition)).position().offset())
        .toList();
  }
}
