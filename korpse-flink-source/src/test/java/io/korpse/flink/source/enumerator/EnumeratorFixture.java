package io.korpse.flink.source.enumerator;

import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.SourceSettings;
import io.korpse.flink.source.TopicRemovalPolicy;
import io.korpse.flink.source.enumerator.event.SplitsFinishedEvent;
import io.korpse.flink.source.enumerator.event.SplitsRemovedEvent;
import io.korpse.flink.source.enumerator.event.SplitsRestoredEvent;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.OffsetRule;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import javax.annotation.Nullable;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/** An enumerator with a coordinator, a cluster and a clock that the test moves. */
final class EnumeratorFixture {

  static final Uuid ID = new Uuid(1, 1);
  static final Uuid OTHER_ID = new Uuid(2, 2);

  final FakeCluster cluster;
  final ManualClock clock;
  private Subscription subscription = Subscription.Topics.of(List.of("t"));
  private OffsetRules rules = new OffsetRules(OffsetRule.committed(), OffsetRule.earliest(), null);
  private Boundedness boundedness = Boundedness.CONTINUOUS_UNBOUNDED;
  private final Configuration options = new Configuration();
  FakeContext context;
  KorpseEnumerator enumerator;

  EnumeratorFixture() {
    this(new FakeCluster(), new ManualClock());
  }

  private EnumeratorFixture(FakeCluster cluster, ManualClock clock) {
    this.cluster = cluster;
    this.clock = clock;
  }

  /** Another enumerator on the same cluster. */
  EnumeratorFixture again() {
    enumerator.close();
    return new EnumeratorFixture(cluster, clock);
  }

  EnumeratorFixture pattern(String regex) {
    subscription = new Subscription.TopicPattern(Pattern.compile(regex));
    return this;
  }

  EnumeratorFixture custom() {
    subscription = new Subscription.Custom(admin -> Set.of());
    return this;
  }

  EnumeratorFixture bounded(OffsetRule stop) {
    boundedness = Boundedness.BOUNDED;
    rules = new OffsetRules(OffsetRule.earliest(), OffsetRule.earliest(), stop);
    return this;
  }

  EnumeratorFixture rules(OffsetRule initial, OffsetRule later, OffsetRule stop) {
    rules = new OffsetRules(initial, later, stop);
    return this;
  }

  EnumeratorFixture withoutDiscovery() {
    return with(KorpseSourceOptions.DISCOVERY_INTERVAL, 0L);
  }

  EnumeratorFixture continueWhenRemoved() {
    return with(KorpseSourceOptions.ON_TOPIC_REMOVED, TopicRemovalPolicy.CONTINUE);
  }

  <T> EnumeratorFixture with(ConfigOption<T> option, T value) {
    options.set(option, value);
    return this;
  }

  /** Starts without a state and lets the first calls run. */
  EnumeratorFixture start(int parallelism) {
    return restore(parallelism, null);
  }

  /** Starts from a state and lets the first calls run. */
  EnumeratorFixture restore(int parallelism, EnumeratorState state) {
    begin(parallelism, state);
    context.run();
    return this;
  }

  /** Starts from a state, or without one; the first calls have no answer yet. */
  void begin(int parallelism, @Nullable EnumeratorState state) {
    Properties kafka = new Properties();
    kafka.setProperty("bootstrap.servers", "broker:9092");
    SourceSettings settings = new SourceSettings(kafka, options, boundedness, null, null, null);
    context = new FakeContext(parallelism);
    enumerator =
        new KorpseEnumerator(context, settings, subscription, rules, state, cluster, clock);
    enumerator.start();
  }

  /** Registers a reader whose state held these splits, and lets all calls run. */
  EnumeratorFixture reader(int reader, KorpseSplit... restored) {
    register(reader, restored);
    context.run();
    return this;
  }

  /** Registers a reader whose state held these splits. */
  void register(int reader, KorpseSplit... restored) {
    context.register(reader);
    enumerator.addReader(reader);
    enumerator.handleSourceEvent(reader, new SplitsRestoredEvent(List.of(restored)));
  }

  EnumeratorFixture finished(int reader, TopicPartition... partitions) {
    enumerator.handleSourceEvent(reader, new SplitsFinishedEvent(List.of(partitions)));
    context.run();
    return this;
  }

  /** Lets time pass, a tick of the enumerator at a time. */
  EnumeratorFixture pass(Duration time) {
    for (long left = time.toMillis(); left >= context.period(); left -= context.period()) {
      clock.now += context.period();
      context.tick();
    }
    return this;
  }

  /** What the first event that takes splits from a reader names. */
  List<TopicPartition> removed(int reader) {
    return removals(reader).get(0).partitions();
  }

  /** All events that take splits from a reader. */
  List<SplitsRemovedEvent> removals(int reader) {
    return context.events(reader).stream()
        .filter(SplitsRemovedEvent.class::isInstance)
        .map(SplitsRemovedEvent.class::cast)
        .toList();
  }

  static TopicPartition t(int partition) {
    return new TopicPartition("t", partition);
  }

  /** A clock that stands still until it is moved. */
  static final class ManualClock extends Clock {
    private long now = 1_000_000;

    @Override
    public long millis() {
      return now;
    }

    @Override
    public Instant instant() {
      return Instant.ofEpochMilli(now);
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }
}
