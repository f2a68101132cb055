package io.korpse.flink.source;

import io.korpse.flink.source.deserializer.BadRecordHandler;
import io.korpse.offsets.DataLossPolicy;
import java.io.Serializable;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Properties;
import javax.annotation.Nullable;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.connector.base.source.reader.RecordEvaluator;
import org.apache.flink.util.function.SerializableSupplier;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.IsolationLevel;

/**
 * Everything that was decided by the builder, as the enumerator and the readers see it. Immutable,
 * checked already. Its text holds no Kafka configuration, since that may hold passwords.
 */
public final class SourceSettings implements Serializable {

  private static final long serialVersionUID = 1L;
  private static final long REMOVALS_MILLIS = 60_000;

  private final Properties kafka;
  private final Configuration options;
  private final Boundedness boundedness;
  @Nullable private final SerializableSupplier<String> rackId;
  @Nullable private final BadRecordHandler badRecordHandler;
  @Nullable private final RecordEvaluator<?> endOfStream;
  private final Extensions extensions;

  /**
   * Copies what it is given; unset options have their defaults.
   *
   * @param kafka configuration of the Kafka clients, all values being strings
   * @param options the options of {@link KorpseSourceOptions}
   * @param rackId gives the rack of a TaskManager; may be null
   * @param badRecordHandler for {@link BadRecordPolicy#HANDLER}; may be null otherwise
   * @param endOfStream tells which element ends its split; may be null
   */
  public SourceSettings(
      Properties kafka,
      Configuration options,
      Boundedness boundedness,
      @Nullable SerializableSupplier<String> rackId,
      @Nullable BadRecordHandler badRecordHandler,
      @Nullable RecordEvaluator<?> endOfStream) {
    this(kafka, options, boundedness, rackId, badRecordHandler, endOfStream, Extensions.NONE);
  }

  private SourceSettings(
      Properties kafka,
      Configuration options,
      Boundedness boundedness,
      @Nullable SerializableSupplier<String> rackId,
      @Nullable BadRecordHandler badRecordHandler,
      @Nullable RecordEvaluator<?> endOfStream,
      Extensions extensions) {
    this.kafka = copy(kafka);
    this.options = new Configuration(options);
    this.boundedness = Objects.requireNonNull(boundedness);
    this.rackId = rackId;
    this.badRecordHandler = badRecordHandler;
    this.endOfStream = endOfStream;
    this.extensions = extensions;
  }

  /** The defaults, for a cluster and without a group; for tests and tools. */
  public static SourceSettings defaults(String bootstrapServers) {
    Properties kafka = new Properties();
    kafka.setProperty(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    return new SourceSettings(
        kafka, new Configuration(), Boundedness.CONTINUOUS_UNBOUNDED, null, null, null);
  }

  /** The same with one option changed. */
  public <T> SourceSettings with(ConfigOption<T> option, T value) {
    Configuration changed = new Configuration(options);
    changed.set(option, value);
    return new SourceSettings(
        kafka, changed, boundedness, rackId, badRecordHandler, endOfStream, extensions);
  }

  /** The same with the user's code in the reading part. */
  public SourceSettings with(Extensions userCode) {
    return new SourceSettings(
        kafka, options, boundedness, rackId, badRecordHandler, endOfStream, userCode);
  }

  /** The same with one key of Kafka's configuration changed. */
  public SourceSettings withKafka(String key, String value) {
    Properties changed = copy(kafka);
    changed.setProperty(key, value);
    return new SourceSettings(
        changed, options, boundedness, rackId, badRecordHandler, endOfStream, extensions);
  }

  /**
   * A copy of the configuration for Kafka's clients: what the user gave and what the source needs,
   * without client ids. It holds {@code group.id} when there is one; the fetching consumer is not
   * given it.
   */
  public Properties kafka() {
    return copy(kafka);
  }

  /** The addresses of the cluster, for messages. */
  public String bootstrapServers() {
    return kafka.getProperty(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG);
  }

  /** The consumer group, if any: never used for membership, only for positions. */
  public Optional<String> groupId() {
    return Optional.ofNullable(kafka.getProperty(ConsumerConfig.GROUP_ID_CONFIG));
  }

  /** What client ids begin with. */
  public String clientIdPrefix() {
    return options
        .getOptional(KorpseSourceOptions.CLIENT_ID_PREFIX)
        .orElseGet(() -> groupId().orElse("korpse"));
  }

  /** Isolation level of consumer, end offsets and stop offsets. */
  public IsolationLevel isolation() {
    String level = kafka.getProperty(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted");
    return IsolationLevel.valueOf(level.toUpperCase(Locale.ROOT));
  }

  /** Whether the source ends by itself. */
  public Boundedness boundedness() {
    return boundedness;
  }

  /** Gives the rack of the TaskManager it is called on. */
  public Optional<SerializableSupplier<String>> rackIdSupplier() {
    return Optional.ofNullable(rackId);
  }

  /** Time between discoveries; empty when there is only the first. */
  public Optional<Duration> discoveryInterval() {
    long millis = options.get(KorpseSourceOptions.DISCOVERY_INTERVAL);
    return millis <= 0 || boundedness == Boundedness.BOUNDED
        ? Optional.empty()
        : Optional.of(Duration.ofMillis(millis));
  }

  /**
   * Time between looks: the discovery interval, or without one how often topics that are gone are
   * looked for, which is at most a minute.
   */
  public Duration lookInterval() {
    long millis = options.get(KorpseSourceOptions.DISCOVERY_INTERVAL);
    return discoveryInterval()
        .orElse(
            Duration.ofMillis(millis <= 0 ? REMOVALS_MILLIS : Math.min(millis, REMOVALS_MILLIS)));
  }

  /** Discoveries in a row that may fail after the first. */
  public int toleratedDiscoveryFailures() {
    return options.get(KorpseSourceOptions.DISCOVERY_FAILURES);
  }

  /** How long the first discovery may take. */
  public Duration connectTimeout() {
    return options.get(KorpseSourceOptions.CONNECT_TIMEOUT);
  }

  /** How long offsets of a partition may be unknown. */
  public Duration offsetsTimeout() {
    return options.get(KorpseSourceOptions.OFFSETS_TIMEOUT);
  }

  /** What happens when a topic is gone. */
  public TopicRemovalPolicy onTopicRemoved() {
    return options.get(KorpseSourceOptions.ON_TOPIC_REMOVED);
  }

  /** What happens to restored partitions that are no longer subscribed to. */
  public UnsubscribedPolicy onUnsubscribed() {
    return options.get(KorpseSourceOptions.ON_UNSUBSCRIBED);
  }

  /** What happens when wanted records are gone. */
  public DataLossPolicy onDataLoss() {
    return options.get(KorpseSourceOptions.ON_DATA_LOSS);
  }

  /** One split may have this part of the reader's buffer at most. */
  public static final int SPLITS_IN_READER = 4;

  /** Whether the user set {@link #splitBufferBytes()}. */
  public boolean isSplitBufferGiven() {
    return options.contains(KorpseSourceOptions.SPLIT_BUFFER);
  }

  /** Bytes that one split may have buffered. */
  public long splitBufferBytes() {
    return options.get(KorpseSourceOptions.SPLIT_BUFFER).getBytes();
  }

  /** Records that one split may have buffered. */
  public int splitBufferRecords() {
    return options.get(KorpseSourceOptions.SPLIT_BUFFER_RECORDS);
  }

  /** Part of its buffer to which a full split drains before it is resumed. */
  public double splitResumeFraction() {
    return options.get(KorpseSourceOptions.SPLIT_RESUME_FRACTION);
  }

  /** Bytes that all splits of one reader may have buffered; empty when the reader decides. */
  public OptionalLong readerBufferBytes() {
    return bytes(KorpseSourceOptions.READER_BUFFER);
  }

  private OptionalLong bytes(ConfigOption<MemorySize> option) {
    return options
        .getOptional(option)
        .map(MemorySize::getBytes)
        .map(OptionalLong::of)
        .orElseGet(OptionalLong::empty);
  }

  /** Consumers of one reader, each with a thread. */
  public int readerConsumers() {
    return options.get(KorpseSourceOptions.READER_CONSUMERS);
  }

  /** Bytes that one poll may add; empty when the reader decides. */
  public OptionalLong pollBytes() {
    return bytes(KorpseSourceOptions.POLL_SIZE);
  }

  /** Fetch responses of each broker that paused splits may pin. */
  public int retainedResponses() {
    return options.get(KorpseSourceOptions.RETAINED_RESPONSES);
  }

  /** Batches that may be handed over and not yet emitted. */
  public int handoverBatches() {
    return options.get(KorpseSourceOptions.HANDOVER_BATCHES);
  }

  /** Records of one batch. */
  public int handoverRecords() {
    return options.get(KorpseSourceOptions.HANDOVER_RECORDS);
  }

  /** Bytes of one batch; empty when the reader decides. */
  public OptionalLong handoverBytes() {
    return bytes(KorpseSourceOptions.HANDOVER_SIZE);
  }

  /** Order among splits. */
  public RecordOrder order() {
    return options.get(KorpseSourceOptions.ORDER);
  }

  /** How long an empty split is waited for. */
  public Duration orderWait() {
    return options.get(KorpseSourceOptions.ORDER_WAIT);
  }

  /** How far a run may go beyond the next split's head. */
  public Duration orderSlack() {
    return options.get(KorpseSourceOptions.ORDER_SLACK);
  }

  /** Up to what the slack may grow where order is lost. */
  public Duration orderMaxSlack() {
    return options.get(KorpseSourceOptions.ORDER_MAX_SLACK);
  }

  /** How long a split may be held back. */
  public Duration maxHold() {
    return options.get(KorpseSourceOptions.ORDER_MAX_HOLD);
  }

  /** When positions are committed; always {@link CommitMode#DISABLED} without a group. */
  public CommitMode commitMode() {
    if (groupId().isEmpty()) {
      return CommitMode.DISABLED;
    }
    return options
        .getOptional(KorpseSourceOptions.COMMIT_MODE)
        .orElseGet(
            () ->
                options.getOptional(KorpseSourceOptions.COMMIT_ON_CHECKPOINT).orElse(true)
                    ? CommitMode.ON_CHECKPOINT
                    : CommitMode.DISABLED);
  }

  /** Time between commits in the mode {@link CommitMode#PERIODIC}. */
  public Duration commitInterval() {
    return options.get(KorpseSourceOptions.COMMIT_INTERVAL);
  }

  /** After which time an unchanged position is committed again. */
  public Duration commitRefreshInterval() {
    return options.get(KorpseSourceOptions.COMMIT_REFRESH_INTERVAL);
  }

  /** What happens to a record that cannot be read. */
  public BadRecordPolicy onBadRecord() {
    return options.get(KorpseSourceOptions.ON_BAD_RECORD);
  }

  /** The handler of bad records; there is one with {@link BadRecordPolicy#HANDLER}. */
  public Optional<BadRecordHandler> badRecordHandler() {
    return Optional.ofNullable(badRecordHandler);
  }

  /** Bad records that one subtask may skip within {@link #badRecordWindow}. */
  public int badRecordLimit() {
    return options.get(KorpseSourceOptions.BAD_RECORD_LIMIT);
  }

  /** Time over which skipped records are counted. */
  public Duration badRecordWindow() {
    return options.get(KorpseSourceOptions.BAD_RECORD_WINDOW);
  }

  /** What happens to a record without a value. */
  public TombstonePolicy tombstones() {
    return options.get(KorpseSourceOptions.TOMBSTONES);
  }

  /** Most records per second of all subtasks together; empty without a limit. */
  public OptionalDouble rateLimit() {
    return options
        .getOptional(KorpseSourceOptions.RATE_LIMIT)
        .map(OptionalDouble::of)
        .orElseGet(OptionalDouble::empty);
  }

  /** Whether the fetcher thread deserializes, instead of the task thread. */
  public boolean deserializeOnFetcher() {
    return options.get(KorpseSourceOptions.DESERIALIZE_ON_FETCHER);
  }

  /**
   * Tells which element ends its split; the element itself is not emitted. The type is that of the
   * source, which the builder has checked.
   */
  @SuppressWarnings("unchecked")
  public <T> Optional<RecordEvaluator<T>> endOfStream() {
    return Optional.ofNullable((RecordEvaluator<T>) endOfStream);
  }

  /** The user's code in the reading part. */
  public Extensions extensions() {
    return extensions;
  }

  /** Whether the consumer's own metrics are registered. */
  public boolean consumerMetrics() {
    return options.get(KorpseSourceOptions.CONSUMER_METRICS);
  }

  /** How often end offsets are asked for. */
  public Duration lagInterval() {
    return options.get(KorpseSourceOptions.LAG_INTERVAL);
  }

  /** How long each client of a subtask may take to close. */
  public Duration closeTimeout() {
    return options.get(KorpseSourceOptions.CLOSE_TIMEOUT);
  }

  private static Properties copy(Properties properties) {
    Properties copy = new Properties();
    copy.putAll(properties);
    return copy;
  }

  @Override
  public String toString() {
    return "SourceSettings[group=" + groupId().orElse("none") + ", " + options + "]";
  }
}
