package io.korpse.offsets.lag;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korpse.testing.EmbeddedBroker;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What watching idle partitions costs; CPU time, so that other load is no matter. */
@Timeout(300)
final class LagCostIT {

  private static final Logger LOG = LoggerFactory.getLogger(LagCostIT.class);
  private static final int PARTITIONS = 200;

  /** How often a round reads a position. */
  private static final int READS = 3;

  @Test
  void watching_200_idle_partitions_each_second_costs_less_than_half_a_percent_of_a_core() {
    AtomicInteger rounds = new AtomicInteger();
    try (EmbeddedBroker broker = EmbeddedBroker.start();
        LagTracker tracker =
            LagTracker.builder()
                .admin(broker::admin)
                .interval(Duration.ofMillis(20))
                .threadName("cost-lag")
                .build()) {
      broker.createTopic("idle", PARTITIONS);
      for (int i = 0; i < PARTITIONS; i++) {
        boolean isFirst = i == 0;
        tracker.track(
            new TopicPartition("idle", i),
            () -> {
              if (isFirst) {
                rounds.incrementAndGet();
              }
              return 0;
            });
      }
      await().atMost(Duration.ofMinutes(2)).until(() -> tracker.total().recordsLag().isKnown());
      awaitRounds(rounds, 100);
      int roundsBefore = rounds.get();
      long before = cpuNanos();
      awaitRounds(rounds, 100);
      long spent = cpuNanos() - before;
      double perRound = spent / ((rounds.get() - roundsBefore) / (double) READS);

      // Two rounds per interval; what rests is asked for in every second one.
      double perInterval = 2 * perRound;
      LOG.warn("{} µs per interval for {} idle partitions", perInterval / 1_000, PARTITIONS);
      assertThat(perInterval / TimeUnit.SECONDS.toNanos(1)).isLessThan(0.005);
    }
  }

  private static void awaitRounds(AtomicInteger reads, int rounds) {
    int until = reads.get() + READS * rounds;
    await().atMost(Duration.ofMinutes(2)).until(() -> reads.get() >= until);
  }

  // The tracker's thread and its client's.
  private static long cpuNanos() {
    long sum = 0;
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals("cost-lag")
          || thread.getName().startsWith("kafka-admin-client-thread")) {
        sum += Math.max(0, ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.getId()));
      }
    }
    return sum;
  }
}
