package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.AuthenticationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Single promises of the proxy, each in a world made for it; see the simulation for all. */
@Timeout(60)
class PollProxyTest {

  private static final long HOUR = 3_600_000;
  private static final Duration TEN_SECONDS = Duration.ofSeconds(10);
  private static final SimConsumerConfig CONFIG =
      SimConsumerConfig.defaults()
          .withMaxPollRecords(500)
          .withFetchBytes(256_000, 32_000)
          .withFetchMaxWaitMs(100);

  @Test
  void replays_skewed_partitions_in_order_to_the_slack() {
    ProxyRig rig = new ProxyRig(ProxyRig.limits(64_000, 1_000_000), CONFIG, true);
    int all = skewed(rig, 8, 8_000);

    List<ConsumerRecord<byte[], byte[]>> read = readAll(rig, 8);

    assertThat(read).hasSize(all);
    assertThat(disorder(read)).isLessThanOrEqualTo(50);
    assertThat(rig.stats.orderGivenUp()).isZero();
  }

  @Test
  void degrades_order_but_loses_nothing_when_the_budget_is_too_small_for_it() {
    ProxyRig rig = new ProxyRig(ProxyRig.limits(16_000, 32_000), CONFIG, true);
    int all = skewed(rig, 8, 4_000);

    List<ConsumerRecord<byte[], byte[]>> read = readAll(rig, 8);

    assertThat(read).hasSize(all);
    // One poll may be under way when the bound is reached, and holds one record beyond its share.
    assertThat(rig.budget.peak())
        .isLessThanOrEqualTo(32_000 + ProxyRig.limits(16_000, 32_000).pollBytes() + 300);
  }

  /** W84. */
  @Test
  void costs_next_to_nothing_for_ten_seconds_without_credit() {
    ProxyRig rig = new ProxyRig(ProxyRig.limits(64_000, 1_000_000), CONFIG, true);
    backlog(rig, 4);
    for (int i = 0; i < 4; i++) {
      assertThat(rig.fetch().records()).isPositive();
    }
    int polls = rig.consumer.calls().polls;
    rig.parks = 0;
    rig.wakeAfter(TEN_SECONDS);

    assertThat(rig.fetch()).isSameAs(ProxyParts.EMPTY);
    assertThat(rig.consumer.calls().polls - polls).isLessThan(300);
    assertThat(rig.parks).isLessThan(600);
  }

  @Test
  void costs_next_to_nothing_for_ten_seconds_with_every_split_held() {
    ProxyRig rig = new ProxyRig(ProxyRig.limits(64_000, 1_000_000), CONFIG, true);
    backlog(rig, 4);
    rig.control.pauseOrResume(Set.of("t-0", "t-1", "t-2", "t-3"), Set.of());
    rig.wakeAfter(TEN_SECONDS);

    assertThat(rig.fetch()).isSameAs(ProxyParts.EMPTY);
    assertThat(rig.consumer.calls().polls).isLessThan(110);
    assertThat(rig.parks).isLessThan(300);
  }

  /** W83. */
  @Test
  void costs_next_to_nothing_for_ten_seconds_on_an_idle_topic() {
    ProxyRig rig = new ProxyRig(ProxyRig.limits(64_000, 1_000_000), CONFIG, true);
    rig.cluster.create(ProxyRig.id(0), 0);
    rig.add(0);
    rig.wakeAfter(TEN_SECONDS);

    assertThat(rig.fetch()).isSameAs(ProxyParts.EMPTY);
    assertThat(rig.consumer.calls().polls).isLessThan(110);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void resumes_a_full_split_when_its_batch_comes_back_not_at_the_next_timeout(boolean eventTime) {
    ProxyRig rig = new ProxyRig(ProxyRig.limits(8_000, 100_000), CONFIG, eventTime);
    rig.cluster.create(ProxyRig.id(0), 0);
    for (int i = 0; i < 20; i++) {
      rig.append(0, 50, i * 1_000L, 1);
    }
    rig.add(0);
    List<HandoverBatch> out = new ArrayList<>();
    rig.wakeAfter(Duration.ofMillis(250));
    for (HandoverBatch batch = rig.fetch(); batch != ProxyParts.EMPTY; batch = rig.fetch()) {
      out.add(batch);
    }
    assertThat(rig.consumer.paused()).hasSize(1);
    int resumes = rig.consumer.calls().resumes;
    long[] resumedAt = new long[1];
    rig.consumer.onPoll(
        timeout -> {
          if (rig.consumer.calls().resumes > resumes && resumedAt[0] == 0) {
            resumedAt[0] = rig.time.getAsLong();
          }
        });
    long returnAt = rig.time.getAsLong() + Duration.ofMillis(30).toNanos();
    rig.time.at(returnAt, () -> out.forEach(ProxyRig::emit));

    assertThat(rig.fetch().records()).isPositive();
    assertThat(resumedAt[0] - returnAt).isBetween(0L, 1_000_000L);
  }

  @Test
  void fetches_again_at_once_what_a_poll_had_no_room_for() {
    ProxyRig rig = new ProxyRig(ProxyRig.limits(64_000, 1_000_000), CONFIG, true);
    int all = 12_000;
    rig.cluster.create(ProxyRig.id(0), 0);
    // Idle, so that a fetch for it alone stays at the broker for the longest wait.
    rig.cluster.create(ProxyRig.id(1), 0);
    for (int i = 0; i < all; i += 200) {
      rig.append(0, 200, i, 1);
    }
    rig.add(0, all);
    rig.add(1);

    int read = 0;
    while (read < all) {
      read += ProxyRig.emit(rig.fetch()).size();
    }
    assertThat(rig.stats.withheld()).isGreaterThan(1_000);
    assertThat(rig.time.getAsLong()).isLessThan(Duration.ofSeconds(1).toNanos());
  }

  @Test
  void unassigns_splits_that_end_together_in_few_steps() {
    ProxyRig rig = new ProxyRig(ProxyRig.limits(64_000, 1_000_000), CONFIG, true);
    int splits = 320;
    for (int p = 0; p < splits; p++) {
      rig.cluster.create(ProxyRig.id(p), 0);
      rig.append(p, 10, 0, 1);
      rig.add(p, 10);
    }
    int before = rig.consumer.calls().assigns;

    assertThat(readAll(rig, splits)).hasSize(splits * 10);
    assertThat(rig.consumer.calls().assigns - before).isLessThan(splits / 4);
    assertThat(rig.consumer.assignment()).isEmpty();
  }

  @Test
  void lets_an_exception_of_a_poll_through_at_once() {
    ProxyRig rig = new ProxyRig(ProxyRig.limits(64_000, 1_000_000), CONFIG, true);
    rig.cluster.create(ProxyRig.id(0), 0);
    rig.add(0);
    rig.time.after(
        Duration.ofMillis(40),
        () -> rig.consumer.failNextPoll(new AuthenticationException("no such user")));

    assertThatThrownBy(rig::fetch).hasMessage("no such user");
    assertThat(rig.time.getAsLong()).isEqualTo(Duration.ofMillis(40).toNanos());
  }

  @Test
  void is_not_stopped_longer_than_the_wait_limit_by_a_partition_without_a_leader() {
    ProxyRig rig = new ProxyRig(ProxyRig.limits(64_000, 1_000_000), CONFIG, true);
    backlog(rig, 2);
    rig.cluster.elect(ProxyRig.id(1), SimPartition.NO_LEADER);
    rig.wakeAfter(Duration.ofSeconds(30));

    assertThat(rig.fetch().records()).isPositive();
    assertThat(rig.time.getAsLong()).isLessThan(Duration.ofMillis(1_150).toNanos());
    assertThat(rig.stats.orderGivenUp()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void reads_every_split_of_many_in_turn_under_a_short_budget(boolean eventTime) {
    int splits = 60;
    ProxyRig rig = new ProxyRig(ProxyRig.limits(8_000, 24_000), CONFIG, eventTime);
    for (int i = 0; i < splits; i++) {
      rig.cluster.create(ProxyRig.id(i), i % 3);
      // the clock of the last is years ahead
      long first = i == splits - 1 ? 4_000_000_000_000L : 1_000_000;
      for (int batch = 0; batch < 200; batch++) {
        rig.append(i, 20, first + batch * 20_000L, 1_000);
      }
      rig.add(i);
    }
    long[] emittedAt = new long[splits];
    long longestGap = 0;
    long end = Duration.ofSeconds(60).toNanos();
    rig.wakeAfter(Duration.ofSeconds(61));
    while (rig.time.getAsLong() < end) {
      HandoverBatch batch = rig.fetch();
      for (ConsumerRecord<byte[], byte[]> record : ProxyRig.emit(batch)) {
        emittedAt[record.partition()] = rig.time.getAsLong();
      }
      rig.time.advance(Duration.ofMillis(20));
      for (long at : emittedAt) {
        longestGap = Math.max(longestGap, rig.time.getAsLong() - at);
      }
    }

    assertThat(Duration.ofNanos(longestGap)).isLessThan(Duration.ofSeconds(15));
    assertThat(rig.budget.peak()).isLessThanOrEqualTo(24_000 + 8_000);
  }

  /**
   * In event-time order the reader lives on the largest split while the others are full. If the
   * broker is asked for more of it only once it is empty, each of its fetches is a wait.
   */
  @Test
  void does_not_wait_for_each_fetch_of_the_largest_split() {
    ProxyRig rig =
        new ProxyRig(ProxyRig.limits(128_000, 2_000_000), CONFIG.withFetchMaxWaitMs(10), true);
    int all = skewed(rig, 8, 16_000);
    long start = rig.time.getAsLong();

    assertThat(readAll(rig, 8, Duration.ofMillis(1))).hasSize(all);

    long millis = Duration.ofNanos(rig.time.getAsLong() - start).toMillis();
    assertThat(rig.stats.orderWaitMillis()).as("of %d ms", millis).isLessThan(millis / 20);
    assertThat(rig.stats.orderGivenUp()).isZero();
  }

  /** Pauses were brought up to date once per round only, and a round polls several times. */
  @Test
  void polls_no_full_split_again_in_the_same_round() {
    ProxyRig rig = new ProxyRig(ProxyRig.limits(20_000, 100_000), CONFIG, true);
    backlog(rig, 1);
    rig.fetch();

    assertThat(rig.budget.peak()).isLessThanOrEqualTo(20_000 + 10_000 + 300);
  }

  /** A split that was ended stayed in the gauges, and so did one of a proxy that was closed. */
  @Test
  void forgets_in_its_gauges_what_is_ended_or_closed() {
    ProxyRig rig = new ProxyRig(ProxyRig.limits(20_000, 100_000), CONFIG, true);
    backlog(rig, 2);
    ProxyRig.emit(rig.fetch());
    rig.control.finish("t-0");
    rig.control.finish("t-1");
    rig.wakeAfter(Duration.ofMillis(1));
    for (int finished = 0; finished < 2; ) {
      HandoverBatch batch = rig.fetch();
      ProxyRig.emit(batch);
      finished += batch.finishedSplits().size();
    }

    assertThat(rig.stats.bufferedRecords()).isZero();
    assertThat(rig.stats.bufferedBytes()).isZero();
    assertThat(rig.stats.splits()).isZero();
    assertThat(rig.budget.used()).isZero();

    rig.control.forget("t-0");
    rig.add(0);
    rig.control.pauseOrResume(Set.of("t-0"), Set.of());
    rig.wakeAfter(Duration.ofMillis(1));
    rig.fetch();
    assertThat(rig.splitStats.get("t-0").paused()).isEqualTo(1);
    assertThat(rig.splitStats.get("t-0").pauseReasons()).isEqualTo(4);
    assertThat(rig.pauses.pausedSplits()).isEqualTo(1);
    rig.proxy.close();
    assertThat(rig.pauses.pausedSplits()).isZero();
    assertThat(rig.splitStats.get("t-0").paused()).isZero();
    assertThat(rig.splitStats.get("t-0").pauseReasons()).isZero();
  }

  /** A topic may be removed, or its end be known, while the split is on its way. */
  @ParameterizedTest
  @ValueSource(longs = {0, 10})
  void ends_a_split_where_it_was_to_end_before_it_came(long end) {
    ProxyRig rig = new ProxyRig(ProxyRig.limits(20_000, 100_000), CONFIG, true);
    rig.cluster.create(ProxyRig.id(0), 0);
    rig.append(0, 100, 0, 1);
    if (end == 0) {
      rig.control.finish("t-0");
    } else {
      rig.control.stopAt("t-0", end);
    }
    rig.wakeAfter(Duration.ofMillis(1));
    rig.fetch();
    rig.add(0);

    assertThat(readToEnd(rig)).hasSize((int) end);
  }

  @Test
  void does_not_end_a_split_for_what_was_wanted_of_one_that_left() {
    ProxyRig rig = new ProxyRig(ProxyRig.limits(20_000, 100_000), CONFIG, true);
    rig.cluster.create(ProxyRig.id(0), 0);
    rig.append(0, 100, 0, 1);
    rig.control.finish("t-0");
    rig.control.stopAt("t-0", 10);
    rig.control.forget("t-0");
    rig.add(0, 100);

    assertThat(readToEnd(rig)).hasSize(100);
  }

  /** The records up to the end of the only split, which comes within some seconds. */
  private static List<ConsumerRecord<byte[], byte[]>> readToEnd(ProxyRig rig) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      rig.wakeAfter(Duration.ofSeconds(1));
      HandoverBatch batch = rig.fetch();
      boolean ended = batch.finishedSplits().contains("t-0");
      records.addAll(ProxyRig.emit(batch));
      if (ended) {
        return records;
      }
    }
    throw new AssertionError("The split does not end; it gave " + records.size() + " records");
  }

  /** The client counts in whole milliseconds: less than one was a loop without waiting. */
  @Test
  void does_not_spin_through_the_last_part_of_a_millisecond_of_a_wait() {
    ProxyRig rig = new ProxyRig(ProxyRig.limits(64_000, 1_000_000), CONFIG, true);
    backlog(rig, 2);
    rig.cluster.elect(ProxyRig.id(1), SimPartition.NO_LEADER);
    rig.time.advance(Duration.ofNanos(1_234_567));
    rig.wakeAfter(Duration.ofSeconds(30));
    rig.fetch();

    assertThat(rig.consumer.calls().polls).isLessThan(60);
  }

  @Test
  void moves_positions_past_what_a_hook_drops_and_orders_by_the_time_that_it_gives() {
    ProxyRig rig = new ProxyRig(ProxyRig.limits(64_000, 1_000_000), CONFIG, true);
    for (int p = 0; p < 2; p++) {
      rig.cluster.create(ProxyRig.id(p), 0);
      rig.append(p, 100, 1_000_000 - p * 500_000L, 1_000);
      rig.add(p, 100);
    }
    // The second half of partition 1 is dropped; what is left of it is moved behind partition 0.
    rig.hook =
        record ->
            record.partition() == 0
                ? record
                : record.offset() >= 50 ? null : at(record, record.timestamp() + 5_000_000);

    List<ConsumerRecord<byte[], byte[]>> read = readAll(rig, 2);

    assertThat(read).hasSize(150);
    assertThat(read.subList(0, 100)).allMatch(record -> record.partition() == 0);
    assertThat(rig.positions).containsEntry("t-0", 100L).containsEntry("t-1", 100L);
    assertThat(rig.stats.records()).isEqualTo(200);
    assertThat(rig.splitStats.get("t-1").records()).isEqualTo(50);
    assertThat(rig.splitStats.get("t-1").bufferedRecords()).isZero();
  }

  private static ConsumerRecord<byte[], byte[]> at(
      ConsumerRecord<byte[], byte[]> record, long timestamp) {
    return new ConsumerRecord<>(
        record.topic(),
        record.partition(),
        record.offset(),
        timestamp,
        record.timestampType(),
        record.serializedKeySize(),
        record.serializedValueSize(),
        record.key(),
        record.value(),
        record.headers(),
        record.leaderEpoch());
  }

  /** Partition p holds {@code most >> p} records of the same hour; returns how many in all. */
  private static int skewed(ProxyRig rig, int partitions, int most) {
    int all = 0;
    for (int p = 0; p < partitions; p++) {
      rig.cluster.create(ProxyRig.id(p), 0);
      int count = most >> p;
      long step = HOUR / count;
      for (int i = 0; i < count; i += 50) {
        rig.append(p, Math.min(50, count - i), i * step, step);
      }
      rig.add(p, count);
      all += count;
    }
    return all;
  }

  private static void backlog(ProxyRig rig, int partitions) {
    for (int p = 0; p < partitions; p++) {
      rig.cluster.create(ProxyRig.id(p), p);
      for (int i = 0; i < 40; i++) {
        rig.append(p, 50, i * 1_000L, 1);
      }
      rig.add(p);
    }
  }

  private static List<ConsumerRecord<byte[], byte[]>> readAll(ProxyRig rig, int splits) {
    return readAll(rig, splits, Duration.ofNanos(50_000));
  }

  private static List<ConsumerRecord<byte[], byte[]>> readAll(
      ProxyRig rig, int splits, Duration perBatch) {
    List<ConsumerRecord<byte[], byte[]>> read = new ArrayList<>();
    for (int finished = 0; finished < splits; ) {
      HandoverBatch batch = rig.fetch();
      read.addAll(ProxyRig.emit(batch));
      finished += batch.finishedSplits().size();
      rig.time.advance(perBatch);
    }
    return read;
  }

  private static long disorder(List<ConsumerRecord<byte[], byte[]>> read) {
    long latest = 0;
    long most = 0;
    for (ConsumerRecord<byte[], byte[]> record : read) {
      most = Math.max(most, latest - record.timestamp());
      latest = Math.max(latest, record.timestamp());
    }
    return most;
  }
}
