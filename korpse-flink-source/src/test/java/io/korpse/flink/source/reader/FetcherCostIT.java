package io.korpse.flink.source.reader;

import static io.korpse.flink.source.reader.ReaderRig.produce;
import static io.korpse.flink.source.reader.ReaderRig.source;
import static io.korpse.flink.source.reader.ReaderRig.split;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.testing.EmbeddedBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.InputStatus;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a fetcher thread costs that has nothing to do: less than 5 % of a core, by the CPU time of
 * the thread itself. W84.
 */
@Timeout(120)
final class FetcherCostIT {

  private static final int PARTITIONS = 8;
  private static final Duration LONG = Duration.ofSeconds(10);
  private static final long MOST_MILLIS = LONG.toMillis() / 20;

  private static EmbeddedBroker broker;

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @Test
  void with_every_split_paused() throws Exception {
    try (ReaderRig rig = reading("paused", 20_000)) {
      List<String> ids = splits("paused").stream().map(KorpseSplit::splitId).toList();
      rig.reader.pauseOrResumeSplits(ids, List.of());
      drain(rig);

      assertThat(cpuMillis(rig, () -> {})).isLessThan(MOST_MILLIS);
      assertThat(rig.gauge("pausedSplits")).isEqualTo(PARTITIONS);
    }
  }

  @Test
  void with_all_credit_handed_out_to_a_sink_of_20_records_a_second() throws Exception {
    try (ReaderRig rig = reading("slow", 20_000)) {
      int before = rig.output.elements.size();

      assertThat(cpuMillis(rig, () -> rig.pollUntilCount(rig.output.elements.size() + 1)))
          .isLessThan(MOST_MILLIS);

      assertThat(rig.output.elements.size() - before).isBetween(100, 200);
    }
  }

  @Test
  void with_an_idle_topic() throws Exception {
    try (ReaderRig rig = reading("idle", 10)) {
      rig.pollUntilCount(PARTITIONS * 10);

      assertThat(cpuMillis(rig, () -> {})).isLessThan(MOST_MILLIS);
    }
  }

  private static ReaderRig reading(String topic, int records) throws Exception {
    produce(broker, topic, PARTITIONS, records);
    ReaderRig rig = new ReaderRig(source(broker));
    rig.add(splits(topic).toArray(KorpseSplit[]::new)).pollUntilCount(1);
    return rig;
  }

  private static List<KorpseSplit> splits(String topic) {
    List<KorpseSplit> splits = new ArrayList<>();
    for (int p = 0; p < PARTITIONS; p++) {
      splits.add(split(topic, p));
    }
    return splits;
  }

  /** Takes what is handed over already. */
  private static void drain(ReaderRig rig) {
    await()
        .atMost(EmbeddedBroker.patience())
        .pollInterval(Duration.ofMillis(1))
        .during(Duration.ofMillis(300))
        .until(() -> rig.reader.pollNext(rig.output) == InputStatus.NOTHING_AVAILABLE);
  }

  private interface Step {
    void run() throws Exception;
  }

  /** The CPU time of the fetcher thread while the task does this twenty times a second. */
  private static long cpuMillis(ReaderRig rig, Step step) {
    long before = rig.gauge("fetcherCpuTime");
    assertThat(before).isNotNegative();
    long end = System.nanoTime() + LONG.toNanos();
    await()
        .atMost(LONG.plus(EmbeddedBroker.patience()))
        .pollInterval(Duration.ofMillis(50))
        .until(
            () -> {
              step.run();
              return System.nanoTime() >= end;
            });
    return rig.gauge("fetcherCpuTime") - before;
  }
}
