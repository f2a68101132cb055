package io.korpse.offsets.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.offsets.Position;
import io.korpse.testing.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** A plan with a group and a clock of the test. */
abstract class CommitPlanFixture {

  static final TopicPartition A = new TopicPartition("t", 0);
  static final TopicPartition B = new TopicPartition("t", 1);
  static final TopicPartition C = new TopicPartition("u", 0);
  static final Duration REFRESH = Duration.ofHours(1);
  static final Duration VERIFY = Duration.ofMinutes(1);
  static final Duration PROBE = Duration.ofSeconds(30);

  final ManualClock clock = new ManualClock(1_000_000);
  final FakeGroup group = new FakeGroup();
  final CommitStatus status = new CommitStatus(clock);
  final List<CommitState> states = new ArrayList<>();
  final CommitSettings settings =
      new CommitSettings(
          "g",
          "j/0",
          5_000,
          REFRESH.toMillis(),
          VERIFY.toMillis(),
          PROBE.toMillis(),
          new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5), () -> 0.5));
  final CommitPlan plan =
      new CommitPlan(
          settings,
          status,
          new CommitListener() {
            @Override
            public void stateChanged(CommitState from, CommitState to, String reason) {
              states.add(to);
            }
          },
          clock.millis());
  final CommitStep step = new CommitStep(() -> group, settings, plan, status, clock);

  void submit(long checkpointId, Map<TopicPartition, Position> positions) {
    plan.submit(checkpointId, positions, clock.millis());
  }

  /** Runs the plan as its thread would and returns how long it slept each time. */
  List<Long> waitsUntilSettled() throws InterruptedException {
    List<Long> waits = new ArrayList<>();
    for (int i = 0; i < 1_000 && !plan.isSettled(); i++) {
      long wait = plan.nextDue() - clock.millis();
      if (wait > 0) {
        waits.add(wait);
        clock.advance(Duration.ofMillis(wait));
      }
      step.run();
    }
    assertThat(plan.isSettled()).isTrue();
    return waits;
  }
}
