package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Records without timestamps, and of a wrong clock, among others in event-time order, with a sink
 * of 10,000 a second.
 */
@Timeout(60)
class OddTimestampsTest {

  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final long RECORD_NANOS = SECOND / 10_000;
  private static final long NO_TIMESTAMP = -1;
  private static final long YEAR_2096 = 4_000_000_000_000L;
  private static final SimConsumerConfig CONFIG =
      SimConsumerConfig.defaults()
          .withMaxPollRecords(500)
          .withFetchBytes(256_000, 32_000)
          .withFetchMaxWaitMs(100);

  private final ProxyRig rig = new ProxyRig(ProxyRig.limits(1_000_000, 4_000_000), CONFIG, true);
  private final Map<Integer, Long> lastEmitted = new HashMap<>();
  private final Map<Integer, Long> longestGap = new HashMap<>();
  private final Map<Integer, Integer> emitted = new HashMap<>();
  private long sinkFree;

  @Test
  void a_backlog_without_timestamps_does_not_stop_a_live_partition() {
    backlog(0, NO_TIMESTAMP);
    live(1);

    emitFor(Duration.ofSeconds(20));

    assertThat(longestGap.get(1)).isLessThan(SECOND);
    assertThat(emitted.get(1)).isGreaterThan(1_900);
    assertThat(emitted.get(0)).as("the sink is kept busy").isGreaterThan(190_000);
    nothingWasHeld();
  }

  @Test
  void nor_does_one_whose_records_lose_their_timestamps_midway() {
    rig.cluster.create(ProxyRig.id(0), 0);
    rig.append(0, 200, 1_000, 1);
    appendBacklog(0, NO_TIMESTAMP);
    rig.add(0);
    live(1);

    emitFor(Duration.ofSeconds(20));

    assertThat(longestGap.get(1)).isLessThan(SECOND);
    nothingWasHeld();
  }

  @Test
  void backlogs_with_and_without_timestamps_get_like_shares() {
    backlog(0, NO_TIMESTAMP);
    backlog(1, NO_TIMESTAMP);
    backlog(2, 1_000_000);

    emitFor(Duration.ofSeconds(20));

    for (int partition = 0; partition < 3; partition++) {
      assertThat(longestGap.get(partition)).as("%d", partition).isLessThan(SECOND);
      assertThat(emitted.get(partition)).as("%d", partition).isBetween(60_000, 74_000);
    }
    nothingWasHeld();
  }

  @Test
  void nobody_waits_for_a_partition_without_timestamps_that_runs_empty() {
    backlog(0, 1_000_000);
    live(1, NO_TIMESTAMP);
    emitFor(Duration.ofSeconds(1));
    long waited = rig.stats.orderWaitMillis();

    emitFor(Duration.ofSeconds(20));

    assertThat(rig.stats.orderWaitMillis()).isEqualTo(waited);
    assertThat(longestGap.get(1)).isLessThan(SECOND);
    nothingWasHeld();
  }

  @Test
  void what_comes_after_a_hold_makes_nobody_late() {
    backlog(1, 1_000_000);
    emitFor(Duration.ofSeconds(1));
    ofTheFuture(0);

    emitFor(Duration.ofSeconds(25));

    assertThat(rig.stats.servedAfterHold()).isPositive();
    assertThat(rig.stats.maxDisorderMillis()).isLessThan(1_000);
  }

  /** With nothing else at hand nobody holds it back, and all that follows is late. */
  @Test
  void a_wrong_clock_does_not_spoil_the_disorder_for_ever() {
    ofTheFuture(0);
    emitFor(Duration.ofSeconds(1));
    live(1);
    emitFor(Duration.ofSeconds(1));
    assertThat(rig.stats.maxDisorderMillis()).isGreaterThan(YEAR_2096 / 2);

    emitFor(RecentMax.WINDOW.multipliedBy(3));

    assertThat(rig.stats.maxDisorderMillis()).isLessThan(1_000);
  }

  private void ofTheFuture(int partition) {
    rig.cluster.create(ProxyRig.id(partition), 0);
    rig.append(partition, 5, YEAR_2096, 1);
    rig.add(partition);
  }

  private void nothingWasHeld() {
    assertThat(rig.stats.servedAfterHold()).isZero();
    assertThat(rig.stats.maxDisorderMillis()).isLessThan(1_000);
  }

  private void backlog(int partition, long firstTimestamp) {
    rig.cluster.create(ProxyRig.id(partition), 0);
    appendBacklog(partition, firstTimestamp);
    rig.add(partition);
  }

  private void appendBacklog(int partition, long firstTimestamp) {
    for (int i = 0; i < 300_000; i += 200) {
      if (firstTimestamp == NO_TIMESTAMP) {
        rig.append(partition, 200, NO_TIMESTAMP, 0);
      } else {
        rig.append(partition, 200, firstTimestamp + i, 1);
      }
    }
  }

  private void live(int partition) {
    live(partition, 1_000_000);
  }

  private void live(int partition, long baseTimestamp) {
    rig.cluster.create(ProxyRig.id(partition), 0);
    rig.add(partition);
    produce(partition, baseTimestamp);
  }

  private void produce(int partition, long base) {
    long millis = rig.time.getAsLong() / 1_000_000;
    rig.append(partition, 1, base == NO_TIMESTAMP ? NO_TIMESTAMP : base + millis, 0);
    rig.time.after(Duration.ofMillis(10), () -> produce(partition, base));
  }

  private void emitFor(Duration duration) {
    long start = rig.time.getAsLong();
    lastEmitted.replaceAll((partition, at) -> start);
    while (rig.time.getAsLong() - start < duration.toNanos()) {
      rig.wakeAfter(Duration.ofMillis(100));
      HandoverBatch batch = rig.fetch();
      if (batch != ProxyParts.EMPTY) {
        emit(batch);
      }
    }
  }

  /** The batch is emitted record by record after those before it, and then given back. */
  private void emit(HandoverBatch batch) {
    sinkFree = Math.max(sinkFree, rig.time.getAsLong());
    while (batch.nextSplit() != null) {
      for (ConsumerRecord<byte[], byte[]> record = batch.nextRecordFromSplit();
          record != null;
          record = batch.nextRecordFromSplit()) {
        sinkFree += RECORD_NANOS;
        int partition = record.partition();
        Long before = lastEmitted.put(partition, sinkFree);
        longestGap.merge(partition, before == null ? 0 : sinkFree - before, Math::max);
        emitted.merge(partition, 1, Integer::sum);
      }
    }
    rig.time.at(sinkFree, batch::recycle);
  }
}
