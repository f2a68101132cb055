package io.korpse.flink.source.reader.proxy;

import static io.korpse.flink.source.reader.proxy.SimViolation.check;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * The whole proxy between a simulated cluster and a simulated sink, in virtual time, with things
 * happening at random times drawn from one seed. The same seed gives the same run.
 *
 * <p>After a while of chaos everything that hinders is taken away; then all records must come out.
 */
class ProxySimulation {

  private static final Duration QUIET_LIMIT = Duration.ofMinutes(2);
  private static final int TRACE = 60;

  private final SimSettings settings;
  private final ProxyRules rules;
  private final Random random;
  private final SimScheduler time = new SimScheduler();
  private final SimCluster cluster;
  private final Map<String, SimSplit> splits = new LinkedHashMap<>();
  private final ProxyControl control = new ProxyControl();
  private final ProxyParts parts;
  private final SimSink sink;
  private final SimWatch watch;
  private final Deque<String> trace = new ArrayDeque<>();
  private final List<Runnable> fetcherTasks = new ArrayList<>();
  private PollProxy proxy;
  private SimConsumer consumer;
  private boolean chaos = true;
  private boolean ended;
  private int fetches;
  private long digest;

  ProxySimulation(SimSettings settings) {
    this(settings, new ProxyRules());
  }

  ProxySimulation(SimSettings settings, ProxyRules rules) {
    this(settings, rules, settings.limits());
  }

  /** Runs a proxy with other rules or limits than those that its invariants are checked by. */
  ProxySimulation(SimSettings settings, ProxyRules rules, ProxyLimits proxyLimits) {
    this.settings = settings;
    this.random = new Random(settings.seed() * 0x9E3779B97F4A7C15L + 7);
    this.cluster = new SimCluster(time, () -> 200_000 + random.nextInt(800_000));
    this.rules = new SimRules(rules);
    this.parts =
        new ProxyParts(
            this::newConsumer,
            proxyLimits,
            new BufferBudget(proxyLimits.readerBytes()),
            control,
            new ProxyStats(),
            new PauseTimes(),
            this::resolve,
            (partition, offset) -> CompletableFuture.completedStage(offset + 1),
            this::inspect,
            RecordWeigher.of(true, true),
            null,
            true,
            true,
            settings.maxPollRecords(),
            random.nextBoolean(),
            settings.eventTime(),
            SimSettings.ORDER_WAIT,
            SimSettings.ORDER_SLACK_MILLIS,
            8 * SimSettings.ORDER_SLACK_MILLIS,
            settings.maxHold(),
            time);
    this.sink = new SimSink(time, random, splits, control);
    this.watch = new SimWatch(settings, time, sink, parts, splits, cluster);
    createPartitions();
  }

  private void createPartitions() {
    SimSplit.Clock[] clocks = SimSplit.Clock.values();
    boolean sane = random.nextBoolean();
    for (int i = 0; i < settings.partitions(); i++) {
      TopicPartition id = new TopicPartition("t", i);
      cluster.create(id, random.nextInt(settings.nodes()));
      SimSplit.Clock clock = sane ? SimSplit.Clock.NOW : clocks[random.nextInt(clocks.length)];
      long stop =
          settings.bounded() && random.nextBoolean()
              ? random.nextInt(400)
              : KorpseSplit.NO_STOP_OFFSET;
      SimSplit split = new SimSplit(id, clock, stop);
      splits.put(split.id(), split);
      for (int batches = random.nextInt(20); batches > 0; batches--) {
        append(split);
      }
    }
  }

  /** Runs to the end; a violation carries the seed and what happened last. */
  void run() {
    try {
      start();
      play();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          e.getMessage()
              + "\n  "
              + settings
              + "\n  re-run with -Dkorpse.sim.seed="
              + settings.seed()
              + "\n  "
              + String.join("\n  ", trace),
          e);
    }
  }

  int fetches() {
    return fetches;
  }

  long emitted() {
    return sink.emitted();
  }

  /** Of all that happened and when, in order: equal for equal runs. */
  long digest() {
    return digest;
  }

  SimWatch watch() {
    return watch;
  }

  ProxyStats stats() {
    return parts.stats();
  }

  private void start() {
    newProxy();
    scheduleChaos();
    for (SimSplit split : splits.values()) {
      if (random.nextInt(3) > 0) {
        add(List.of(split));
      } else {
        time.after(Duration.ofMillis(random.nextInt(1_000)), () -> addLater(split));
      }
    }
    time.after(settings.chaos(), this::quiet);
  }

  private void newProxy() {
    proxy = new PollProxy(parts, rules);
    watch.watch(proxy);
  }

  private void play() {
    long hardEnd = settings.chaos().plus(QUIET_LIMIT).toNanos();
    while (!ended) {
      check(
          time.getAsLong() < hardEnd,
          "I5",
          () -> "not all comes out: " + splits.values() + " of " + proxy.splits());
      List<Runnable> tasks = List.copyOf(fetcherTasks);
      fetcherTasks.clear();
      tasks.forEach(Runnable::run);
      watch.beforeFetch();
      try {
        HandoverBatch batch = proxy.fetch();
        fetches++;
        check(
            consumer == null || !consumer.hasFailed(),
            "R9",
            () -> "a poll failed and nobody was told");
        if (batch != ProxyParts.EMPTY) {
          note("batch: " + runs(batch) + ", finished " + batch.finishedSplits());
          sink.offer(batch);
        }
        watch.afterFetch(batch);
        time.advance(Duration.ofNanos(20_000 + 1_000L * batch.records()));
      } catch (InjectedFailure e) {
        restart();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    proxy.close(Duration.ofSeconds(1));
    watch.afterClose(consumer);
  }

  // ---- the quiet end

  private void quiet() {
    note("quiet");
    chaos = false;
    control.pauseOrResume(Set.of(), splits.keySet());
    splits.keySet().forEach(watch::resumed);
    for (SimSplit split : splits.values()) {
      if (cluster.partition(split.partition()).leader() == SimPartition.NO_LEADER) {
        cluster.elect(split.partition(), random.nextInt(settings.nodes()));
      }
      cluster.partition(split.partition()).appendMarker();
      split.loseTimestamps();
      cluster.append(split.partition(), List.of(noted(split, SimRecord.of(-1, 10))));
    }
    sink.bePrompt();
    awaitEnd();
  }

  private void awaitEnd() {
    boolean done = sink.isIdle() && fetcherTasks.isEmpty();
    for (SimSplit split : splits.values()) {
      done &= split.isAdded() && !split.hasMore() && (!mustFinish(split) || split.isFinished());
    }
    ended = done;
    time.after(Duration.ofMillis(20), this::awaitEnd);
    if (done) {
      wake();
    }
  }

  private boolean mustFinish(SimSplit split) {
    return split.isEndedEarly()
        || split.split().stopOffset() <= cluster.partition(split.partition()).end();
  }

  // ---- chaos

  private void scheduleChaos() {
    every(settings.appendMillis(), true, () -> append(anySplit()));
    int bite = 1 + random.nextInt(60);
    sinkTurn(bite);
    every(50 + random.nextInt(400), false, this::wake);
    if (settings.alignment()) {
      boolean byProgress = random.nextBoolean();
      every(
          5 + random.nextInt(200),
          true,
          () -> {
            if (byProgress) {
              alignByProgress();
            } else {
              align();
            }
          });
    }
    if (settings.leaderless()) {
      every(500, true, this::moveLeader);
    }
    if (settings.losses()) {
      every(400, true, this::expire);
    }
    if (settings.failures()) {
      every(1_500, true, this::fail);
    }
    if (settings.endings()) {
      every(1_500, true, this::endEarly);
    }
  }

  private void every(int millis, boolean onlyInChaos, Runnable action) {
    time.after(
        Duration.ofNanos(1_000L * (millis * 500L + random.nextInt(millis * 1_000))),
        () -> {
          if (chaos || !onlyInChaos) {
            action.run();
            every(millis, onlyInChaos, action);
          }
        });
  }

  private void sinkTurn(int bite) {
    int pause = chaos ? settings.sinkPauseMicros() : 1_000;
    time.afterNanos(
        1_000L * (1 + random.nextInt(pause)),
        () -> {
          sink.emit(1 + random.nextInt(bite));
          sinkTurn(bite);
        });
  }

  private void append(SimSplit split) {
    int count = 1 + random.nextInt(random.nextInt(6) == 0 ? 80 : 12);
    List<SimRecord> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      records.add(record(split));
    }
    SimPartition partition = cluster.partition(split.partition());
    int dice = random.nextInt(20);
    if (dice == 0) {
      boolean commit = random.nextBoolean();
      if (commit || !settings.consumer().readCommitted()) {
        noted(split, records);
      }
      cluster.appendTransaction(split.partition(), records, commit);
    } else if (dice == 1) {
      partition.openTransaction();
    } else if (dice == 2) {
      partition.appendMarker();
    } else {
      noted(split, records);
      int payload = records.stream().mapToInt(SimRecord::payloadBytes).sum();
      cluster.append(split.partition(), records, dice < 6 ? 100 + payload / 50 : 0);
    }
  }

  private SimRecord record(SimSplit split) {
    int value = random.nextInt(settings.largestValue());
    if (settings.hugeValues() && random.nextInt(100) == 0) {
      value = SimSettings.HUGE_VALUE;
    }
    long timestamp = split.timestamp(time.getAsLong() / 1_000_000, random);
    int key = random.nextInt(3) == 0 ? random.nextInt(40) : -1;
    if (random.nextInt(30) == 0) {
      value = -1;
      key = settings.bareRecords() ? key : Math.max(0, key);
    }
    int headers = random.nextInt(5) == 0 ? random.nextInt(60) : -1;
    return new SimRecord(-1, timestamp, key, value, headers);
  }

  private void noted(SimSplit split, List<SimRecord> records) {
    long end = cluster.partition(split.partition()).end();
    for (SimRecord record : records) {
      watch.willAppend(record);
      split.appended(end++);
    }
  }

  private SimRecord noted(SimSplit split, SimRecord record) {
    noted(split, List.of(record));
    return record;
  }

  /** As Flink does: who is too far ahead is held until the others have come after. */
  private void alignByProgress() {
    int least = Integer.MAX_VALUE;
    for (SimSplit split : splits.values()) {
      if (split.isAdded() && split.hasMore()) {
        least = Math.min(least, split.count());
      }
    }
    List<String> pause = new ArrayList<>();
    List<String> resume = new ArrayList<>();
    for (SimSplit split : splits.values()) {
      (split.count() - 20 > least ? pause : resume).add(split.id());
    }
    resume.forEach(watch::resumed);
    control.pauseOrResume(pause, resume);
  }

  private void align() {
    List<String> pause = new ArrayList<>();
    List<String> resume = new ArrayList<>();
    for (String id : splits.keySet()) {
      int dice = random.nextInt(6);
      if (dice == 0) {
        pause.add(id);
      } else if (dice < 4) {
        resume.add(id);
      }
    }
    note("align: hold " + pause + ", let go " + resume);
    resume.forEach(watch::resumed);
    control.pauseOrResume(pause, resume);
  }

  private void moveLeader() {
    TopicPartition id = anySplit().partition();
    boolean gone = cluster.partition(id).leader() == SimPartition.NO_LEADER;
    int leader =
        gone || random.nextBoolean() ? random.nextInt(settings.nodes()) : SimPartition.NO_LEADER;
    note("leader of " + id + " is " + leader);
    cluster.elect(id, leader);
  }

  private void expire() {
    SimSplit split = anySplit();
    SimPartition partition = cluster.partition(split.partition());
    long ahead = split.position() + random.nextInt(60);
    long logStart = Math.min(ahead, partition.lastStable());
    note("log of " + split.id() + " starts at " + logStart);
    cluster.deleteBefore(split.partition(), logStart);
    split.lost(logStart);
  }

  private CompletionStage<Position> resolve(
      TopicPartition partition, long offset, OptionalLong divergent) {
    CompletableFuture<Position> answer = new CompletableFuture<>();
    note("lost " + partition + "@" + offset);
    time.after(
        Duration.ofMillis(1 + random.nextInt(400)),
        () -> {
          long start = Math.max(offset, cluster.partition(partition).logStart());
          answer.complete(new Position(start, Position.NO_EPOCH));
        });
    return answer;
  }

  private void fail() {
    if (consumer != null) {
      note("the next poll fails");
      consumer.failNextPoll(new InjectedFailure());
    }
  }

  private void endEarly() {
    SimSplit split = anySplit();
    if (split.isAdded() && !split.isFinished()) {
      note("end of " + split.id());
      split.endEarly();
      control.finish(split.id());
    }
  }

  private void inspect(
      Collection<TopicPartition> partitions,
      java.util.function.Consumer<Map<TopicPartition, LogInspector.LogEnd>> answers) {
    time.after(
        Duration.ofMillis(1 + random.nextInt(100)),
        () -> {
          Map<TopicPartition, LogInspector.LogEnd> ends = new LinkedHashMap<>();
          Map<TopicPartition, LogInspector.LogEnd> unknown = new LinkedHashMap<>();
          for (TopicPartition id : partitions) {
            SimPartition partition = cluster.partition(id);
            boolean committed = settings.consumer().readCommitted();
            long end = committed ? partition.lastStable() : partition.end();
            if (partition.leader() != SimPartition.NO_LEADER) {
              ends.put(id, new LogInspector.LogEnd(end, partition.epoch()));
            } else {
              unknown.put(id, LogInspector.LogEnd.UNKNOWN);
            }
          }
          answers.accept(ends);
          if (!unknown.isEmpty()) {
            time.after(Duration.ofSeconds(2), () -> answers.accept(unknown));
          }
        });
  }

  private void wake() {
    watch.woken();
    proxy.wakeUp();
  }

  private SimSplit anySplit() {
    List<SimSplit> all = List.copyOf(splits.values());
    return all.get(random.nextInt(all.size()));
  }

  // ---- splits and proxies that come and go

  private void addLater(SimSplit split) {
    fetcherTasks.add(() -> add(List.of(split)));
    wake();
  }

  private void add(Collection<SimSplit> added) {
    note("add " + added);
    added.forEach(SimSplit::setAdded);
    proxy.addSplits(
        added.stream().map(this::toRead).toList(),
        new SplitListeners() {
          @Override
          public PositionListener position(String splitId) {
            return (offset, epoch) -> sink.moved(splits.get(splitId), offset, epoch);
          }

          @Override
          public EndListener end(String splitId) {
            return end -> {};
          }

          @Override
          public SplitStats stats(String splitId) {
            return new SplitStats();
          }
        });
  }

  /** The job fails over: a new proxy goes on where the sink is. */
  private void restart() {
    note("restart");
    sink.abandon();
    proxy.close(Duration.ofSeconds(1));
    watch.afterClose(consumer);
    newProxy();
    List<SimSplit> restored = new ArrayList<>();
    for (SimSplit split : splits.values()) {
      if (split.isAdded() && !split.isFinished()) {
        restored.add(split);
      }
    }
    add(restored);
    for (SimSplit split : restored) {
      if (split.isEndedEarly()) {
        control.finish(split.id());
      }
    }
  }

  private Consumer<byte[], byte[]> newConsumer(
      Map<String, Object> overrides, Deserializer<byte[]> keys, Deserializer<byte[]> values) {
    int records = (int) overrides.get(ConsumerConfig.MAX_POLL_RECORDS_CONFIG);
    note("new consumer, max.poll.records " + records);
    SimConsumer created =
        new SimConsumer(cluster, settings.consumer().withMaxPollRecords(records), keys, values);
    created.onPoll(timeout -> watch.onPoll(created, timeout));
    created.spinLimit(6);
    consumer = created;
    return seen(created);
  }

  /** The consumer as the proxy sees it; a test of the tests may show another one. */
  Consumer<byte[], byte[]> seen(SimConsumer created) {
    return created;
  }

  /** The split as the proxy is given it; likewise. */
  KorpseSplit toRead(SimSplit split) {
    return split.split();
  }

  private static String runs(HandoverBatch batch) {
    StringBuilder runs = new StringBuilder();
    for (int i = 0; i < batch.runs(); i++) {
      runs.append(i == 0 ? "" : ", ").append(batch.runRecords(i)).append(" of ");
      runs.append(batch.runSplit(i).splitId());
    }
    return runs.toString();
  }

  private void note(String what) {
    if (trace.size() == TRACE) {
      trace.removeFirst();
    }
    trace.add(time.getAsLong() / 1_000 + " us: " + what);
    digest = 31 * (31 * digest + time.getAsLong()) + what.hashCode();
  }

  private static final class InjectedFailure extends KafkaException {
    private static final long serialVersionUID = 1L;
  }

  /** Puts virtual time into the rules that are simulated. */
  private final class SimRules extends ProxyRules {
    private final ProxyRules simulated;

    SimRules(ProxyRules simulated) {
      this.simulated = simulated;
    }

    @Override
    PauseLedger ledger(PauseTimes times) {
      return simulated.ledger(times);
    }

    @Override
    SplitChooser chooser(ProxyParts proxyParts) {
      return simulated.chooser(proxyParts);
    }

    @Override
    OrderWait orderWait(ProxyParts proxyParts) {
      return simulated.orderWait(proxyParts);
    }

    @Override
    Admission admission(ProxyParts proxyParts, PauseLedger ledger, OrderWait orderWait) {
      return simulated.admission(proxyParts, ledger, orderWait);
    }

    @Override
    FetchAhead fetchAhead() {
      return simulated.fetchAhead();
    }

    @Override
    WakeSignal wakeSignal() {
      return new WakeSignal(
          (condition, nanos) -> {
            watch.onPark();
            long until = time.getAsLong() + nanos;
            time.runNext(until);
            return until - time.getAsLong();
          });
    }
  }
}
