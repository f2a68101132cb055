package io.korpse.flink.source.reader.proxy;

import static io.korpse.flink.source.reader.proxy.SimViolation.check;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.synchronization.FutureCompletingBlockingQueue;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * Several proxies of one reader before one merging queue and one task thread, in virtual time,
 * drawn from a seed. The proxies run in turns, each until it has a batch or for some milliseconds;
 * the task thread takes nothing while the queue says that nothing is available.
 *
 * <p>Each split is read up to a stop. All of it must come out, once and in order, within the
 * budget.
 */
final class LanesSimulation {

  static final long SLACK_MILLIS = 50;

  private static final Duration LIMIT = Duration.ofMinutes(3);

  /** Flink wakes a fetcher far less often than this simulation does. */
  private static final int EMPTY_BATCHES = 50;

  private static final long EPOCH_MILLIS = 1_000_000;

  private final long seed;
  private final Random random;
  private final SimScheduler time = new SimScheduler();
  private final SimCluster cluster = new SimCluster(time);
  private final FutureCompletingBlockingQueue<RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>>>
      inner = new FutureCompletingBlockingQueue<>(100);
  private final LaneMerge merge;
  private final MergingQueue queue;
  private final BufferBudget whole;
  private final ProxyLimits limits;
  private final List<Lane> lanes = new ArrayList<>();
  private final Map<String, Progress> progress = new HashMap<>();
  private final ProxyStats mergeStats = new ProxyStats();
  private final boolean held;
  private boolean chaos = true;

  private RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> fetch;
  private String split;
  private long latest = Long.MIN_VALUE;
  private long disorder;
  private long emitted;

  /** One proxy. */
  private final class Lane {
    final ProxyControl control = new ProxyControl();
    final ProxyStats stats = new ProxyStats();
    final BufferBudget budget = new BufferBudget(limits.readerBytes(), whole);
    PollProxy proxy;
    SimConsumer consumer;
  }

  /** How far a split is. */
  private static final class Progress {
    final int lane;
    final long stop;
    long next;
    long position;
    long records;
    boolean finished;

    Progress(int lane, long stop) {
      this.lane = lane;
      this.stop = stop;
    }
  }

  LanesSimulation(long seed, int count, boolean wide) {
    this.seed = seed;
    this.random = new Random(seed * 0x9E3779B97F4A7C15L + count);
    long share = wide ? 4_000_000 : 30_000L + random.nextInt(60_000);
    this.limits =
        new ProxyLimits(
            wide ? share : share / 4,
            share / 8,
            100_000,
            50_000,
            share,
            4_000 + random.nextInt(16_000),
            4 + random.nextInt(60),
            2_000 + random.nextInt(12_000),
            2,
            2 + random.nextInt(3),
            Duration.ofMillis(100));
    this.held = !wide && random.nextBoolean();
    this.whole = new BufferBudget(count * share);
    this.merge = new LaneMerge(count, Duration.ofSeconds(1), SLACK_MILLIS, mergeStats, time);
    this.queue = merge.over(inner, (nanos, what) -> time.afterNanos(nanos, what));
    for (int i = 0; i < count; i++) {
      lanes.add(new Lane());
    }
    for (int i = 0; i < count; i++) {
      start(i);
    }
  }

  private void start(int index) {
    Lane lane = lanes.get(index);
    SimConsumerConfig config = new SimConsumerConfig(500, 20_000, 8_000, 50, false);
    int records = 20 + random.nextInt(100);
    ProxyParts parts =
        new ProxyParts(
            (overrides, keys, values) ->
                lane.consumer =
                    new SimConsumer(cluster, config.withMaxPollRecords(records), keys, values),
            limits,
            lane.budget,
            lane.control,
            lane.stats,
            new PauseTimes(),
            (partition, offset, divergent) ->
                CompletableFuture.failedFuture(new IllegalStateException("lost " + partition)),
            (partition, offset) -> CompletableFuture.completedStage(offset + 1),
            this::ends,
            RecordWeigher::heapOf,
            null,
            true,
            true,
            records,
            true,
            true,
            Duration.ofSeconds(1),
            SLACK_MILLIS,
            SLACK_MILLIS,
            Duration.ofSeconds(10),
            time);
    ProxyRules rules = merge.rules(index);
    lane.proxy =
        new PollProxy(
            parts,
            new ProxyRules() {
              @Override
              OrderWait orderWait(ProxyParts own) {
                return rules.orderWait(own);
              }

              @Override
              MergeLane lane() {
                return rules.lane();
              }

              @Override
              WakeSignal wakeSignal() {
                return new WakeSignal(
                    (condition, nanos) -> {
                      long until = time.getAsLong() + nanos;
                      time.runNext(until);
                      return until - time.getAsLong();
                    });
              }
            });
  }

  private void ends(
      Collection<TopicPartition> asked,
      Consumer<Map<TopicPartition, LogInspector.LogEnd>> answers) {
    time.after(
        Duration.ofMillis(1 + random.nextInt(50)),
        () -> {
          Map<TopicPartition, LogInspector.LogEnd> ends = new HashMap<>();
          asked.forEach(
              id -> ends.put(id, new LogInspector.LogEnd(cluster.partition(id).end(), 0)));
          answers.accept(ends);
        });
  }

  /** Runs to the end; a violation carries the seed. */
  LanesSimulation run() {
    try {
      play();
      return this;
    } catch (AssertionError | RuntimeException | InterruptedException e) {
      throw new AssertionError(
          e + "\n  seed " + seed + " with " + lanes.size() + " lanes, held " + held + ", " + limits,
          e);
    }
  }

  private void play() throws InterruptedException {
    addSplits();
    taskTurn();
    if (held) {
      alignmentTurn();
    }
    time.after(Duration.ofSeconds(20), this::quiet);
    while (!isDone()) {
      check(time.getAsLong() < LIMIT.toNanos(), "END", () -> "not all comes out: " + left());
      int index = random.nextInt(lanes.size());
      Lane lane = lanes.get(index);
      time.after(Duration.ofNanos(200_000 + random.nextInt(5_000_000)), lane.proxy::wakeUp);
      HandoverBatch batch = lane.proxy.fetch();
      if (batch != ProxyParts.EMPTY || inner.size() < EMPTY_BATCHES) {
        inner.put(index, batch);
      }
      checkBudget();
      time.advance(Duration.ofNanos(20_000 + 1_000L * batch.records()));
    }
    check(
        queue.poll() == null && queue.isEmpty(),
        "EMPTY",
        () -> "the queue holds something at the end");
    lanes.forEach(lane -> lane.proxy.close(Duration.ofSeconds(1)));
    check(
        whole.used() == 0 && whole.batches() == 0,
        "GIVEN BACK",
        () -> whole.used() + " bytes and " + whole.batches() + " batches");
  }

  private void addSplits() {
    int partitions = 1 + random.nextInt(8);
    List<List<KorpseSplit>> byLane = new ArrayList<>();
    lanes.forEach(lane -> byLane.add(new ArrayList<>()));
    for (int i = 0; i < partitions; i++) {
      TopicPartition id = new TopicPartition("t", i);
      cluster.create(id, random.nextInt(2));
      long stop = random.nextInt(5) == 0 ? 0 : 50 + random.nextInt(700);
      append(id, stop);
      KorpseSplit split = new KorpseSplit(id, new Position(0, -1), stop, Uuid.ZERO_UUID, false);
      int lane = i % lanes.size();
      progress.put(split.splitId(), new Progress(lane, stop));
      byLane.get(lane).add(split);
      merge.lane(lane).assign(1);
    }
    for (int i = 0; i < lanes.size(); i++) {
      if (!byLane.get(i).isEmpty()) {
        lanes.get(i).proxy.addSplits(byLane.get(i), listeners());
      }
    }
  }

  /** All over the same ten seconds, with steps of its own. */
  private void append(TopicPartition id, long records) {
    long step = 1 + 10_000 / Math.max(1, records);
    long start = EPOCH_MILLIS + random.nextInt(100);
    for (long at = 0; at < records; ) {
      List<SimRecord> batch = new ArrayList<>();
      for (int size = 1 + random.nextInt(30); size > 0 && at < records; size--, at++) {
        batch.add(SimRecord.of(start + at * step, random.nextInt(300)));
      }
      cluster.append(id, batch);
      if (random.nextInt(20) == 0 && at < records) {
        cluster.partition(id).appendMarker();
        at++;
      }
    }
  }

  private SplitListeners listeners() {
    return new SplitListeners() {
      @Override
      public PositionListener position(String splitId) {
        return (offset, epoch) -> {
          Progress of = progress.get(splitId);
          check(offset >= of.next, "POSITION", () -> splitId + " went back to " + offset);
          of.position = offset;
        };
      }

      @Override
      public EndListener end(String splitId) {
        return end -> {};
      }

      @Override
      public SplitStats stats(String splitId) {
        return new SplitStats();
      }
    };
  }

  // ---- the task thread

  private void taskTurn() {
    emit(1 + random.nextInt(80));
    time.afterNanos(
        1_000L * (1 + random.nextInt(random.nextInt(20) == 0 ? 20_000 : 1_000)), this::taskTurn);
  }

  private void emit(int records) {
    for (int left = records; left > 0; left--) {
      if (fetch == null) {
        if (!queue.getAvailabilityFuture().isDone()) {
          return;
        }
        fetch = queue.poll();
        if (fetch == null) {
          continue;
        }
        split = fetch.nextSplit();
      }
      while (split != null && !emitOne()) {
        split = fetch.nextSplit();
      }
      if (split == null) {
        finish();
      }
    }
  }

  private boolean emitOne() {
    ConsumerRecord<byte[], byte[]> record = fetch.nextRecordFromSplit();
    if (record == null) {
      return false;
    }
    Progress of = progress.get(split);
    String id = split;
    check(
        record.partition() == Integer.parseInt(id.substring(2)),
        "SPLIT",
        () -> record + " given as one of " + id);
    check(
        record.offset() >= of.next && record.offset() < of.stop,
        "ORDER OF SPLIT",
        () -> record.offset() + " of " + id + " after " + of.next);
    of.records++;
    of.next = record.offset() + 1;
    latest = Math.max(latest, record.timestamp());
    disorder = Math.max(disorder, latest - record.timestamp());
    emitted++;
    return true;
  }

  private void finish() {
    RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> ended = fetch;
    fetch = null;
    for (String id : ended.finishedSplits()) {
      Progress of = progress.get(id);
      check(!of.finished, "FINISHED", () -> id + " twice");
      long all =
          cluster.partition(partition(id)).visibleFrom(0, false).stream()
              .filter(record -> record.offset() < of.stop)
              .count();
      check(
          of.records == all && of.position >= of.stop,
          "ALL",
          () -> id + " has given " + of.records + " records up to " + of.position);
      of.finished = true;
      lanes.get(of.lane).control.forget(id);
      merge.lane(of.lane).left();
    }
    ended.recycle();
  }

  // ---- what happens

  private void alignmentTurn() {
    if (chaos) {
      for (String id : progress.keySet()) {
        int dice = random.nextInt(8);
        ProxyControl control = lanes.get(progress.get(id).lane).control;
        if (dice == 0) {
          control.pauseOrResume(Set.of(id), Set.of());
        } else if (dice < 5) {
          control.pauseOrResume(Set.of(), Set.of(id));
        }
      }
      time.after(Duration.ofMillis(5 + random.nextInt(200)), this::alignmentTurn);
    }
  }

  private void quiet() {
    chaos = false;
    lanes.forEach(lane -> lane.control.pauseOrResume(Set.of(), progress.keySet()));
  }

  private boolean isDone() {
    return progress.values().stream().allMatch(of -> of.finished) && fetch == null;
  }

  private String left() {
    return progress.entrySet().stream()
        .filter(entry -> !entry.getValue().finished)
        .map(entry -> entry.getKey() + "@" + entry.getValue().next + "/" + entry.getValue().stop)
        .toList()
        .toString();
  }

  private void checkBudget() {
    long most = limits.readerBytes() + limits.pollBytes() + 2_000;
    for (Lane lane : lanes) {
      // Beyond that, one poll for each split that alignment waits for.
      long extra = held ? progress.size() * limits.pollBytes() : 0;
      check(
          lane.budget.used() <= most + extra,
          "BUDGET",
          () -> lane.budget.used() + " of " + most + " with " + extra);
    }
    long sum = lanes.stream().mapToLong(lane -> lane.budget.used()).sum();
    check(whole.used() == sum, "ONE BUDGET", () -> whole.used() + " and not " + sum);
    check(
        whole.batches() <= limits.batches() * lanes.size(),
        "CREDIT",
        () -> whole.batches() + " batches");
  }

  private static TopicPartition partition(String splitId) {
    return new TopicPartition("t", Integer.parseInt(splitId.substring(2)));
  }

  // ---- what came out

  long emitted() {
    return emitted;
  }

  long disorderMillis() {
    return disorder;
  }

  /** The same as the merge counts it. */
  long countedDisorderMillis() {
    return mergeStats.maxDisorderMillis();
  }

  /** How often order was not waited for, or a split was held too long. */
  long givenUp() {
    long sum = mergeStats.orderGivenUp();
    for (Lane lane : lanes) {
      sum += lane.stats.orderGivenUp() + lane.stats.servedAfterHold();
    }
    return sum;
  }
}
