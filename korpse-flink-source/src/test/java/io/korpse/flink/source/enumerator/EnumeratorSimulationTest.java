package io.korpse.flink.source.enumerator;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.TopicRemovalPolicy;
import io.korpse.flink.source.enumerator.event.SplitsFinishedEvent;
import io.korpse.flink.source.enumerator.event.SplitsRemovedEvent;
import io.korpse.flink.source.enumerator.event.SplitsRestoredEvent;
import io.korpse.flink.source.enumerator.event.TopicSuspectedEvent;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.OffsetRule;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random trouble, by a seed: topics come, go and are created again, partitions are added, brokers
 * fail to answer, partitions have no leader, readers fail alone and together, and parallelism
 * changes, with checkpoints in between. Splits travel as Flink sends them: what a reader was given
 * after the last checkpoint comes back when it fails.
 *
 * <p>At no time may two readers have the same partition, and once it is quiet each partition that
 * exists must be with exactly one reader, under the id that its topic has now. Of a source that is
 * made bounded on the way this holds for what there was by then and still is; what comes later may
 * be read or not, and in the end each reader must know that there is no more.
 */
@Timeout(120)
final class EnumeratorSimulationTest {

  private static final int STEPS = 150;

  static List<Long> seeds() {
    List<Long> seeds = new ArrayList<>();
    for (long seed = 1; seed <= 100; seed++) {
      seeds.add(seed);
    }
    return seeds;
  }

  /** W10. */
  @ParameterizedTest
  @MethodSource("seeds")
  void every_partition_is_with_one_reader_whatever_happens(long seed) throws IOException {
    World world = new World(new Random(seed));
    for (int step = 0; step < STEPS; step++) {
      world.step();
      world.assertNothingTwice();
    }
    world.calm();
    world.assertAllRead();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void a_source_that_becomes_bounded_misses_nothing_and_ends(long seed) throws IOException {
    World world = new World(new Random(seed));
    for (int step = 0; step < STEPS; step++) {
      if (step == STEPS / 3) {
        world.restartBounded();
      }
      world.step();
      world.assertNothingTwice();
    }
    world.calm();
    world.assertNothingMissed();
  }

  /** A checkpoint: the state of the enumerator, as it was read back, and each reader's splits. */
  private record Checkpoint(EnumeratorState enumerator, Map<Integer, List<KorpseSplit>> readers) {}

  private static final class World {
    private final Random random;
    private final EnumeratorStateSerializer serializer = new EnumeratorStateSerializer();
    private final Map<String, Integer> topics = new TreeMap<>();
    private final Map<Integer, Map<String, KorpseSplit>> readers = new TreeMap<>();
    private final Map<Integer, Integer> taken = new HashMap<>();
    private final Map<Integer, List<KorpseSplit>> uncheckpointed = new HashMap<>();
    private final Set<Integer> failed = new TreeSet<>();
    private final List<Runnable> inFlight = new ArrayList<>();
    private EnumeratorFixture fixture;
    private Checkpoint last;
    private final Map<TopicPartition, Uuid> before = new HashMap<>();
    private boolean bounded;
    private int parallelism;
    private long nextId = 1;

    World(Random random) {
      this.random = random;
      fixture = fixture(new EnumeratorFixture());
      begin(1 + random.nextInt(4), null, Map.of());
    }

    private EnumeratorFixture fixture(EnumeratorFixture fixture) {
      return (bounded ? fixture.bounded(OffsetRule.latest()) : fixture)
          .pattern("t.*")
          .with(KorpseSourceOptions.DISCOVERY_INTERVAL, 5_000L)
          .with(KorpseSourceOptions.DISCOVERY_FAILURES, 1_000)
          .with(KorpseSourceOptions.OFFSETS_TIMEOUT, Duration.ofDays(1))
          .with(KorpseSourceOptions.ON_TOPIC_REMOVED, TopicRemovalPolicy.CONTINUE);
    }

    private void begin(
        int readerCount, EnumeratorState state, Map<Integer, List<KorpseSplit>> has) {
      parallelism = readerCount;
      readers.clear();
      uncheckpointed.clear();
      taken.clear();
      failed.clear();
      inFlight.clear();
      fixture.cluster.failNext(0);
      fixture.restore(readerCount, state);
      for (int reader = 0; reader < readerCount; reader++) {
        register(reader, has.getOrDefault(reader, List.of()));
      }
    }

    /** The report of what was restored travels like any other message. */
    private void register(int reader, List<KorpseSplit> restored) {
      Map<String, KorpseSplit> has = new TreeMap<>();
      restored.forEach(split -> has.put(split.splitId(), split));
      readers.put(reader, has);
      fixture.context.register(reader);
      fixture.enumerator.addReader(reader);
      send(reader, new SplitsRestoredEvent(restored));
    }

    private void send(int reader, SourceEvent event) {
      Map<String, KorpseSplit> attempt = readers.get(reader);
      inFlight.add(
          () -> {
            if (readers.get(reader) == attempt) {
              fixture.enumerator.handleSourceEvent(reader, event);
            }
          });
    }

    void step() throws IOException {
      switch (random.nextInt(15)) {
        case 0, 1 -> createTopic();
        case 2 -> deleteTopic();
        case 3 -> recreateTopic();
        case 4 -> addPartition();
        case 5 -> fixture.cluster.failNext(random.nextInt(3));
        case 6 -> leaderless();
        case 7, 8 -> checkpoint();
        case 9 -> failReader();
        case 10 -> failAll();
        case 11 -> resetReaders();
        default -> fixture.pass(Duration.ofSeconds(1 + random.nextInt(4)));
      }
      deliver(random.nextInt(4));
    }

    private void createTopic() {
      String topic = "t" + random.nextInt(5);
      if (!topics.containsKey(topic)) {
        set(topic, 1 + random.nextInt(3));
      }
    }

    private void set(String topic, int partitions) {
      topics.put(topic, partitions);
      fixture.cluster.without(topic).topic(topic, partitions, new Uuid(7, nextId++));
    }

    private void deleteTopic() {
      String topic = "t" + random.nextInt(5);
      topics.remove(topic);
      fixture.cluster.without(topic);
    }

    private void recreateTopic() {
      String topic = "t" + random.nextInt(5);
      if (topics.containsKey(topic)) {
        set(topic, 1 + random.nextInt(3));
        int reader = random.nextInt(parallelism);
        send(reader, new TopicSuspectedEvent(new TopicPartition(topic, 0)));
      }
    }

    private void addPartition() {
      for (Map.Entry<String, Integer> topic : topics.entrySet()) {
        if (random.nextInt(3) == 0) {
          topic.setValue(topic.getValue() + 1);
          fixture.cluster.addPartition(topic.getKey(), topic.getValue() - 1);
        }
      }
    }

    private void leaderless() {
      TopicPartition partition = new TopicPartition("t" + random.nextInt(5), 0);
      if (random.nextBoolean()) {
        fixture.cluster.fail(partition, true);
      } else {
        fixture.cluster.heal(partition);
      }
    }

    /** The enumerator first, then the readers, which have taken all that it had sent by then. */
    private void checkpoint() throws IOException {
      if (!failed.isEmpty()) {
        return;
      }
      byte[] bytes = serializer.serialize(fixture.enumerator.snapshotState(1));
      EnumeratorState state = serializer.deserialize(serializer.getVersion(), bytes);
      take();
      Map<Integer, List<KorpseSplit>> has = new HashMap<>();
      readers.forEach((reader, splits) -> has.put(reader, List.copyOf(splits.values())));
      last = new Checkpoint(state, has);
      uncheckpointed.clear();
    }

    /** Flink forgets a failed reader at once, and tells the enumerator when it is reset. */
    private void failReader() {
      int reader = random.nextInt(parallelism);
      if (failed.add(reader)) {
        take();
        readers.put(reader, new TreeMap<>());
        fixture.context.unregister(reader);
        taken.remove(reader);
      }
    }

    private void resetReaders() {
      for (int reader : failed) {
        List<KorpseSplit> back = new ArrayList<>(uncheckpointed.getOrDefault(reader, List.of()));
        uncheckpointed.remove(reader);
        fixture.enumerator.addSplitsBack(back, reader);
        register(reader, last == null ? List.of() : last.readers().getOrDefault(reader, List.of()));
      }
      failed.clear();
    }

    /** From the last checkpoint, as a job that was stopped and given a stop. */
    void restartBounded() {
      bounded = true;
      before.putAll(fixture.cluster.partitions());
      failAll();
    }

    private void failAll() {
      EnumeratorFixture old = fixture;
      fixture = fixture(old.again());
      Map<Integer, List<KorpseSplit>> has = new HashMap<>();
      int readerCount = 1 + random.nextInt(4);
      if (last == null) {
        begin(readerCount, null, has);
        return;
      }
      int next = 0;
      for (List<KorpseSplit> splits : last.readers().values()) {
        for (KorpseSplit split : splits) {
          has.computeIfAbsent(next++ % readerCount, ignored -> new ArrayList<>()).add(split);
        }
      }
      last = new Checkpoint(last.enumerator(), has);
      begin(readerCount, last.enumerator(), has);
    }

    private void deliver(int messages) {
      for (int i = 0; i < messages && !inFlight.isEmpty(); i++) {
        inFlight.remove(0).run();
        fixture.context.run();
      }
      take();
    }

    /** Readers take what was sent to them, in order. */
    private void take() {
      for (int reader = 0; reader < parallelism; reader++) {
        List<Object> sent = fixture.context.sent(reader);
        for (int next = taken.getOrDefault(reader, 0); next < sent.size(); next++) {
          if (sent.get(next) instanceof SplitsRemovedEvent removed) {
            drop(reader, removed);
          } else if (sent.get(next) instanceof KorpseSplit split) {
            assertThat(readers.get(reader).put(split.splitId(), split)).as("twice").isNull();
            uncheckpointed.computeIfAbsent(reader, ignored -> new ArrayList<>()).add(split);
          }
        }
        taken.put(reader, sent.size());
      }
    }

    /**
     * A reader notes at once which splits it has to leave, lets go some time later, and says so.
     */
    private void drop(int reader, SplitsRemovedEvent removed) {
      Map<String, KorpseSplit> attempt = readers.get(reader);
      List<TopicPartition> dropped =
          removed.partitions().stream()
              .filter(partition -> attempt.containsKey(KorpseSplit.splitId(partition)))
              .toList();
      if (!dropped.isEmpty()) {
        inFlight.add(
            () -> {
              dropped.forEach(partition -> attempt.remove(KorpseSplit.splitId(partition)));
              if (readers.get(reader) == attempt) {
                send(reader, new SplitsFinishedEvent(dropped));
              }
            });
      }
    }

    void calm() {
      resetReaders();
      for (int topic = 0; topic < 5; topic++) {
        fixture.cluster.heal(new TopicPartition("t" + topic, 0));
      }
      fixture.cluster.failNext(0);
      for (int round = 0; round < 10; round++) {
        deliver(Integer.MAX_VALUE);
        fixture.pass(Duration.ofSeconds(40));
      }
    }

    // A reader that restores an old checkpoint has its splits before the enumerator hears of it,
    // and
    // one may be of a topic that was created again since: another topic under the same name.
    void assertNothingTwice() {
      Set<String> seen = new HashSet<>();
      for (Map<String, KorpseSplit> splits : readers.values()) {
        for (KorpseSplit split : splits.values()) {
          assertThat(seen.add(split.splitId() + " " + split.topicId())).as(split + "").isTrue();
        }
      }
    }

    void assertAllRead() {
      assertThat(read()).isEqualTo(fixture.cluster.partitions());
    }

    void assertNothingMissed() {
      Map<TopicPartition, Uuid> still = new HashMap<>(fixture.cluster.partitions());
      assertThat(still).containsAllEntriesOf(read());
      still.entrySet().retainAll(before.entrySet());
      assertThat(read()).containsAllEntriesOf(still);
      for (int reader = 0; reader < parallelism; reader++) {
        assertThat(fixture.context.isTold(reader)).isTrue();
      }
    }

    private Map<TopicPartition, Uuid> read() {
      Map<TopicPartition, Uuid> read = new HashMap<>();
      for (Map<String, KorpseSplit> splits : readers.values()) {
        for (KorpseSplit split : splits.values()) {
          assertThat(read.put(split.partition(), split.topicId())).as(split + "").isNull();
        }
      }
      return read;
    }
  }
}
