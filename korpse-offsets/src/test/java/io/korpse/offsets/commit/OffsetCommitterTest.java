package io.korpse.offsets.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korpse.offsets.Position;
import io.korpse.testing.ManualClock;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class OffsetCommitterTest {

  private static final TopicPartition A = new TopicPartition("t", 0);
  private static final TopicPartition B = new TopicPartition("t", 1);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final FakeGroup group = new FakeGroup();

  @Test
  void commits_what_any_thread_submits() {
    try (OffsetCommitter committer = builder().build(() -> group)) {
      committer.submit(1, Map.of(A, Position.of(10)));

      assertThat(committer.flush(PATIENCE)).isTrue();
      assertThat(group.offset(A)).isEqualTo(10);
    }
  }

  @Test
  void has_one_request_in_flight_and_sends_only_the_newest_of_what_came_meanwhile() {
    CompletableFuture<Void> gate = new CompletableFuture<>();
    group.gate = gate;
    try (OffsetCommitter committer = builder().build(() -> group)) {
      committer.submit(1, Map.of(A, Position.of(1)));
      await().until(() -> group.requests.size() == 1);
      for (int id = 2; id <= 100; id++) {
        committer.submit(id, Map.of(A, Position.of(id)));
      }
      gate.complete(null);

      assertThat(committer.flush(PATIENCE)).isTrue();
      assertThat(group.requests).hasSize(2);
      assertThat(group.mostInFlight).isEqualTo(1);
      assertThat(group.offset(A)).isEqualTo(100);
      assertThat(group.metadata(A)).contains("checkpoint=100");
    }
  }

  @Test
  void many_threads_may_submit_remove_and_flush() throws Exception {
    try (OffsetCommitter committer = builder().build(() -> group)) {
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        TopicPartition own = new TopicPartition("own", t);
        Thread thread =
            new Thread(
                () -> {
                  for (int i = 1; i <= 2_000; i++) {
                    committer.submit(-1, Map.of(own, Position.of(i)));
                    if (i % 500 == 0) {
                      committer.remove(List.of(own));
                      committer.submit(-1, Map.of(own, Position.of(i)));
                      committer.flush(PATIENCE);
                    }
                  }
                });
        thread.start();
        threads.add(thread);
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(committer.flush(PATIENCE)).isTrue();
      for (int t = 0; t < 4; t++) {
        assertThat(group.offset(new TopicPartition("own", t))).isEqualTo(2_000);
      }
      assertThat(group.mostInFlight).isEqualTo(1);
    }
  }

  @Test
  void ignores_a_checkpoint_that_is_older_than_the_newest() {
    try (OffsetCommitter committer = builder().build(() -> group)) {
      committer.submit(2, Map.of(A, Position.of(20)));
      committer.submit(1, Map.of(A, Position.of(10), B, Position.of(5)));

      assertThat(committer.flush(PATIENCE)).isTrue();
      assertThat(group.offset(A)).isEqualTo(20);
      assertThat(group.offset(B)).isEqualTo(-1);
    }
  }

  @Test
  void gives_a_commit_less_time_than_the_checkpoints_are_apart() {
    ManualClock clock = new ManualClock(0);
    try (OffsetCommitter committer = builder().clock(clock).build(() -> group)) {
      for (int id = 1; id <= 3; id++) {
        clock.advance(Duration.ofSeconds(1));
        committer.submit(id, Map.of(A, Position.of(id)));
        assertThat(committer.flush(PATIENCE)).isTrue();
      }
      assertThat(group.timeouts)
          .containsExactly(Duration.ofSeconds(5), Duration.ofMillis(750), Duration.ofMillis(750));
    }
  }

  @Test
  void submitting_never_waits_for_the_broker() {
    group.gate = new CompletableFuture<>();
    try (OffsetCommitter committer = builder().build(() -> group)) {
      for (int id = 1; id <= 10_000; id++) {
        committer.submit(id, Map.of(A, Position.of(id)));
      }
      assertThat(committer.flush(Duration.ofMillis(10))).isFalse();
      group.gate.complete(null);
    }
  }

  /** W48. */
  @Test
  void forgets_a_removed_partition() {
    try (OffsetCommitter committer = builder().build(() -> group)) {
      committer.submit(1, Map.of(A, Position.of(10)));
      assertThat(committer.flush(PATIENCE)).isTrue();
      committer.remove(List.of(A));

      await().untilAsserted(() -> assertThat(committer.status().committed(A)).isEmpty());
      assertThat(committer.flush(PATIENCE)).isTrue();
    }
  }

  @Test
  void a_flush_does_not_wait_for_a_slow_probe() {
    group.groupErrors.add(Errors.GROUP_AUTHORIZATION_FAILED);
    try (OffsetCommitter committer =
        builder().probeInterval(Duration.ofHours(1)).build(() -> group)) {
      committer.submit(1, Map.of(A, Position.of(10)));
      await().until(() -> committer.status().state() == CommitState.SUSPENDED);

      assertThat(committer.flush(PATIENCE)).isTrue();
    }
  }

  @Test
  void a_flush_gives_up_on_a_topic_that_is_gone() {
    group.refusals.put(A, Errors.UNKNOWN_TOPIC_OR_PARTITION);
    group.missingTopics.add("t");
    try (OffsetCommitter committer =
        builder().backoff(Duration.ofMillis(1), Duration.ofMillis(1)).build(() -> group)) {
      committer.submit(1, Map.of(A, Position.of(10)));

      assertThat(committer.flush(Duration.ofHours(1))).isFalse();
    }
  }

  /** W40. */
  @Test
  void closing_commits_what_was_submitted_and_ends_thread_and_client() {
    OffsetCommitter committer = builder().threadName("closing-test").build(() -> group);
    committer.submit(1, Map.of(A, Position.of(10)));
    committer.close(PATIENCE);

    assertThat(group.offset(A)).isEqualTo(10);
    assertThat(group.isClosed).isTrue();
    assertThat(thread("closing-test")).isNull();
    assertThat(committer.status().state()).isEqualTo(CommitState.CLOSED);
    committer.submit(2, Map.of(A, Position.of(20)));
    committer.close();
    assertThat(group.offset(A)).isEqualTo(10);
  }

  @Test
  void closing_keeps_its_time_limit_when_the_broker_does_not_answer() {
    group.gate = new CompletableFuture<>();
    OffsetCommitter committer = builder().threadName("stuck-test").build(() -> group);
    committer.submit(1, Map.of(A, Position.of(10)));
    long start = System.nanoTime();
    committer.close(Duration.ofMillis(200));

    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    assertThat(thread("stuck-test")).isNull();
  }

  @Test
  void makes_no_client_when_nothing_is_submitted() {
    AtomicInteger made = new AtomicInteger();
    OffsetCommitter committer =
        builder()
            .build(
                () -> {
                  made.incrementAndGet();
                  return group;
                });
    committer.close();

    assertThat(made).hasValue(0);
  }

  @Test
  void tries_again_when_the_client_cannot_be_made() {
    AtomicInteger tries = new AtomicInteger();
    try (OffsetCommitter committer =
        builder()
            .backoff(Duration.ofMillis(1), Duration.ofMillis(1))
            .build(
                () -> {
                  if (tries.incrementAndGet() < 3) {
                    throw new KafkaException("no resolvable bootstrap servers");
                  }
                  return group;
                })) {
      committer.submit(1, Map.of(A, Position.of(10)));

      await().untilAsserted(() -> assertThat(group.offset(A)).isEqualTo(10));
      assertThat(committer.status().failed()).isEqualTo(2);
    }
  }

  @Test
  void a_listener_that_throws_changes_nothing() {
    CommitListener bad =
        new CommitListener() {
          @Override
          public void committed(Map<TopicPartition, Position> positions) {
            throw new IllegalStateException("on purpose");
          }

          @Override
          public void stateChanged(CommitState from, CommitState to, String reason) {
            throw new IllegalStateException("on purpose");
          }
        };
    try (OffsetCommitter committer = builder().listener(bad).build(() -> group)) {
      committer.submit(1, Map.of(A, Position.of(10)));
      assertThat(committer.flush(PATIENCE)).isTrue();
      committer.submit(2, Map.of(A, Position.of(11)));
      assertThat(committer.flush(PATIENCE)).isTrue();
    }
  }

  /** W42. */
  @Test
  void nothing_piles_up_after_a_thousand_failed_commits() {
    for (int i = 0; i < 10_000; i++) {
      group.groupErrors.add(Errors.COORDINATOR_NOT_AVAILABLE);
    }
    CheckpointLedger ledger = new CheckpointLedger();
    try (OffsetCommitter committer =
        builder().backoff(Duration.ofMillis(1), Duration.ofMillis(1)).build(() -> group)) {
      long id = 0;
      while (committer.status().failed() < 1_000) {
        id++;
        ledger.snapshot(id, Map.of(A, Position.of(id)));
        ledger.snapshot(id + 1, Map.of(A, Position.of(id)));
        ledger.complete(id).ifPresent(positions -> committer.submit(0, positions));
        assertThat(ledger.size()).isLessThanOrEqualTo(2);
      }
      synchronized (group) {
        group.groupErrors.clear();
      }
      assertThat(committer.flush(PATIENCE)).isTrue();
      assertThat(group.offset(A)).isEqualTo(id);
    }
  }

  @Test
  void sleeps_when_nothing_is_due() {
    try (OffsetCommitter committer = builder().threadName("idle-test").build(() -> group)) {
      committer.submit(1, Map.of(A, Position.of(10)));
      assertThat(committer.flush(PATIENCE)).isTrue();
      Thread thread = thread("idle-test");
      await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
      long before = cpuNanos(thread);

      await()
          .pollDelay(Duration.ofSeconds(1))
          .until(() -> cpuNanos(thread) - before < Duration.ofMillis(5).toNanos());
    }
  }

  private static OffsetCommitter.Builder builder() {
    return OffsetCommitter.builder().groupId("g").identity("a job");
  }

  private static Thread thread(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(name))
        .findAny()
        .orElse(null);
  }

  private static long cpuNanos(Thread thread) {
    return ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.getId());
  }
}
