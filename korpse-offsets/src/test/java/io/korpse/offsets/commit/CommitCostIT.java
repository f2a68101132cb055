package io.korpse.offsets.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.offsets.Position;
import io.korpse.testing.EmbeddedBroker;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What committing costs a reader with many partitions; CPU time, so that other load is no matter.
 */
@Timeout(240)
final class CommitCostIT {

  private static final Logger LOG = LoggerFactory.getLogger(CommitCostIT.class);
  private static final int PARTITIONS = 2_000;
  private static final int CHANGING = 20;

  @Test
  void a_commit_each_second_for_2000_partitions_of_which_20_change_is_below_2_percent_of_a_core()
      throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start();
        OffsetCommitter committer =
            OffsetCommitter.builder()
                .admin(broker::admin)
                .groupId("g")
                .identity("cost")
                .threadName("cost-committer")
                .requestTimeout(Duration.ofSeconds(30))
                .build()) {
      broker.createTopic("wide", PARTITIONS);
      CheckpointLedger ledger = new CheckpointLedger();
      int warmUp = 30;
      int measured = 60;
      long before = 0;
      for (int id = 1; id <= warmUp + measured; id++) {
        if (id == warmUp + 1) {
          before = cpuNanos();
        }
        ledger.snapshot(id, positions(id));
        committer.submit(id, ledger.complete(id).orElseThrow());
        assertThat(committer.flush(Duration.ofSeconds(60))).isTrue();
      }
      double perCommit = (cpuNanos() - before) / (double) measured;
      double share = perCommit / TimeUnit.SECONDS.toNanos(1);

      LOG.warn("{} % of a core, {} µs per commit", 100 * share, perCommit / 1_000);
      assertThat(committer.status().succeeded()).isEqualTo(warmUp + measured);
      assertThat(share).as("share of a core at one commit per second").isLessThan(0.02);
    }
  }

  // The thread that submits, the committer's and its client's.
  private static long cpuNanos() {
    long sum = 0;
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      String name = thread.getName();
      if (thread == Thread.currentThread()
          || name.equals("cost-committer")
          || name.startsWith("kafka-admin-client-thread")) {
        sum += Math.max(0, ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.getId()));
      }
    }
    return sum;
  }

  private static Map<TopicPartition, Position> positions(int id) {
    Map<TopicPartition, Position> positions = new HashMap<>();
    for (int i = 0; i < PARTITIONS; i++) {
      positions.put(new TopicPartition("wide", i), Position.of(i < CHANGING ? id : 1));
    }
    return positions;
  }
}
