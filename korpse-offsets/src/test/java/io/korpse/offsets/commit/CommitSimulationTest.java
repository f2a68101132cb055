package io.korpse.offsets.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.offsets.Position;
import io.korpse.testing.ManualClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A group that refuses at random, splits that come and go, a rival that sets the group back. To
 * repeat a failure, run the seed in the test's name.
 */
final class CommitSimulationTest {

  private static final List<Errors> GROUP_ERRORS =
      List.of(
          Errors.NOT_COORDINATOR,
          Errors.COORDINATOR_LOAD_IN_PROGRESS,
          Errors.REQUEST_TIMED_OUT,
          Errors.UNKNOWN_MEMBER_ID,
          Errors.GROUP_AUTHORIZATION_FAILED,
          Errors.UNKNOWN_SERVER_ERROR,
          Errors.INVALID_COMMIT_OFFSET_SIZE);
  private static final List<Errors> PARTITION_ERRORS =
      List.of(
          Errors.UNKNOWN_TOPIC_OR_PARTITION,
          Errors.TOPIC_AUTHORIZATION_FAILED,
          Errors.INVALID_TOPIC_EXCEPTION);

  private final ManualClock clock = new ManualClock(1_000_000);
  private final FakeGroup group = new FakeGroup();
  private final CommitStatus status = new CommitStatus(clock);
  private final Map<TopicPartition, Long> positions = new HashMap<>();
  private final Map<TopicPartition, Long> highestSeen = new HashMap<>();

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597})
  void never_goes_back_and_settles_when_the_trouble_is_over(long seed) throws Exception {
    Random random = new Random(seed);
    CommitSettings settings =
        new CommitSettings(
            "g",
            "job/0",
            5_000,
            Duration.ofHours(1).toMillis(),
            Duration.ofMinutes(1).toMillis(),
            Duration.ofSeconds(30).toMillis(),
            new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5), random::nextDouble));
    CommitPlan plan = new CommitPlan(settings, status, new CommitListener() {}, clock.millis());
    CommitStep step = new CommitStep(() -> group, settings, plan, status, clock);
    for (int turn = 1; turn <= 2_000; turn++) {
      disturb(random);
      move(random, plan);
      if (random.nextBoolean()) {
        plan.submit(turn, submission(), clock.millis());
      }
      runUntil(plan, step, random.nextInt(3_000));
      checkNeverBack();
    }
    calmDown();
    plan.submit(10_000, submission(), clock.millis());
    runUntil(plan, step, (int) Duration.ofMinutes(5).toMillis());

    assertThat(plan.isSettled()).isTrue();
    positions.forEach((p, offset) -> assertThat(group.offset(p)).as(p + "").isEqualTo(offset));
    assertThat(status.state()).isEqualTo(CommitState.COMMITTING);
    assertThat(status.refused()).isEmpty();
    plan.nextDue();
    assertThat(status.pendingAgeMillis()).isZero();
    assertThat(group.mostInFlight).isEqualTo(1);
  }

  private void runUntil(CommitPlan plan, CommitStep step, int millis) throws InterruptedException {
    long end = clock.millis() + millis;
    for (int steps = 0; plan.nextDue() <= end; steps++) {
      assertThat(steps).as("steps without a wait between them").isLessThan(100_000);
      clock.advance(Duration.ofMillis(Math.max(0, plan.nextDue() - clock.millis())));
      step.run();
      checkNeverBack();
    }
    clock.advance(Duration.ofMillis(Math.max(0, end - clock.millis())));
  }

  private void disturb(Random random) {
    switch (random.nextInt(9)) {
      case 0 -> group.groupErrors.add(GROUP_ERRORS.get(random.nextInt(GROUP_ERRORS.size())));
      case 1 ->
          group.refusals.put(
              partition(random), PARTITION_ERRORS.get(random.nextInt(PARTITION_ERRORS.size())));
      case 2 -> group.refusals.clear();
      case 3 -> group.metadataLimit = random.nextInt(100);
      case 4 -> group.lookupFailures.add(new TimeoutException("on purpose"));
      case 5 -> group.batchLimit = 1 + random.nextInt(20);
      case 6 -> setBack(partition(random), random);
      case 7 -> group.unreadable.add(partition(random));
      default -> {
        group.missingTopics.clear();
        group.unreadable.clear();
      }
    }
  }

  // What a frozen task does: allowed to go back, and to be corrected.
  private void setBack(TopicPartition partition, Random random) {
    OffsetAndMetadata committed = group.offsets.get(partition);
    if (committed != null && committed.offset() > 0) {
      long back = random.nextLong(committed.offset());
      group.offsets.put(partition, new OffsetAndMetadata(back));
      highestSeen.put(partition, back);
    }
  }

  private void move(Random random, CommitPlan plan) {
    TopicPartition moved = partition(random);
    if (random.nextInt(50) == 0) {
      positions.remove(moved);
      plan.remove(List.of(moved));
      group.offsets.remove(moved);
      highestSeen.remove(moved);
    } else {
      positions.merge(moved, 1L + random.nextInt(100), Long::sum);
    }
  }

  private void checkNeverBack() {
    group
        .snapshot()
        .forEach(
            (partition, committed) -> {
              Long before = highestSeen.put(partition, committed.offset());
              if (before != null) {
                assertThat(committed.offset()).as(partition + "").isGreaterThanOrEqualTo(before);
              }
              if (positions.containsKey(partition)) {
                assertThat(committed.offset())
                    .as("nothing is committed that was not submitted: %s", partition)
                    .isLessThanOrEqualTo(positions.get(partition));
              }
            });
  }

  private void calmDown() {
    group.groupErrors.clear();
    group.refusals.clear();
    group.unreadable.clear();
    group.lookupFailures.clear();
    group.metadataLimit = 4096;
    group.batchLimit = Integer.MAX_VALUE;
  }

  private Map<TopicPartition, Position> submission() {
    Map<TopicPartition, Position> submission = new HashMap<>();
    positions.forEach((partition, offset) -> submission.put(partition, Position.of(offset)));
    return submission;
  }

  private static TopicPartition partition(Random random) {
    return new TopicPartition("t" + random.nextInt(3), random.nextInt(8));
  }
}
