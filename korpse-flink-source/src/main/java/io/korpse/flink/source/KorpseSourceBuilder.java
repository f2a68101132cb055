package io.korpse.flink.source;

import io.korpse.flink.source.deserializer.BadRecordHandler;
import io.korpse.flink.source.deserializer.KafkaRecordDeserializationSchema;
import io.korpse.flink.source.enumerator.KafkaSubscriber;
import io.korpse.flink.source.enumerator.OffsetRules;
import io.korpse.flink.source.enumerator.Subscription;
import io.korpse.offsets.DataLossPolicy;
import io.korpse.offsets.OffsetRule;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import javax.annotation.Nullable;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.connector.base.source.reader.RecordEvaluator;
import org.apache.flink.util.function.SerializableSupplier;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.TopicPartition;

/**
 * Builds a {@link KorpseSource}. Needed are bootstrap servers, one of the four ways to subscribe,
 * and a deserializer; everything else has a default, which {@link KorpseSourceOptions} states.
 *
 * <p>The methods that Flink's own Kafka connector has too have its names and its meaning. Each
 * option is checked in {@link #build()}, whichever way it came. What is null, but where a method
 * says that it may be, is refused at once with a {@link NullPointerException} that names it. Not
 * thread-safe; may be used again.
 *
 * @param <T> type of the elements
 */
public final class KorpseSourceBuilder<T> {

  private final PropertyBag properties = new PropertyBag();
  @Nullable private Subscription subscription;
  @Nullable private KafkaRecordDeserializationSchema<T> schema;
  private OffsetsInitializer start = OffsetsInitializer.earliest();
  private OffsetsInitializer newPartitions = OffsetsInitializer.earliest();
  @Nullable private OffsetsInitializer stop;
  private Boundedness boundedness = Boundedness.CONTINUOUS_UNBOUNDED;
  @Nullable private SerializableSupplier<String> rackId;
  @Nullable private BadRecordHandler badRecordHandler;
  @Nullable private RecordEvaluator<T> endOfStream;
  private Extensions extensions = Extensions.NONE;

  KorpseSourceBuilder() {}

  /** The brokers to start from, {@code host:port,...}. Needed. */
  public KorpseSourceBuilder<T> setBootstrapServers(String bootstrapServers) {
    return setProperty(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
  }

  /**
   * The consumer group, which positions are committed to and, if the starting offsets say so, read
   * from. Without one nothing is committed. The source never joins it.
   */
  public KorpseSourceBuilder<T> setGroupId(String groupId) {
    return setProperty(ConsumerConfig.GROUP_ID_CONFIG, groupId);
  }

  /**
   * Reads all partitions of these topics; each must exist when the job starts.
   *
   * @throws IllegalArgumentException if there is none, or a blank one
   * @throws IllegalStateException if the source has something to read already
   */
  public KorpseSourceBuilder<T> setTopics(List<String> topics) {
    return subscribe(Subscription.Topics.of(topics));
  }

  /** As {@link #setTopics(List)}. */
  public KorpseSourceBuilder<T> setTopics(String... topics) {
    return setTopics(topics == null ? null : Arrays.asList(topics));
  }

  /**
   * Reads all topics whose whole name matches; there may be none yet.
   *
   * @throws IllegalStateException if the source has something to read already
   */
  public KorpseSourceBuilder<T> setTopicPattern(Pattern pattern) {
    return subscribe(new Subscription.TopicPattern(pattern));
  }

  /**
   * Reads these partitions; each must exist when the job starts.
   *
   * @throws IllegalArgumentException if there is none
   * @throws IllegalStateException if the source has something to read already
   */
  public KorpseSourceBuilder<T> setPartitions(Set<TopicPartition> partitions) {
    return subscribe(new Subscription.Partitions(partitions));
  }

  /**
   * Reads the partitions that the user's code names.
   *
   * @throws IllegalStateException if the source has something to read already
   */
  public KorpseSourceBuilder<T> setKafkaSubscriber(KafkaSubscriber subscriber) {
    return subscribe(new Subscription.Custom(subscriber));
  }

  private KorpseSourceBuilder<T> subscribe(Subscription wanted) {
    if (subscription != null) {
      throw new IllegalStateException(
          "The source already reads '"
              + subscription.describe()
              + "'; call only one of setTopics, setTopicPattern, setPartitions and"
              + " setKafkaSubscriber, once");
    }
    subscription = wanted;
    return this;
  }

  /** Where the partitions of the first discovery start. Default: the start of the log. */
  public KorpseSourceBuilder<T> setStartingOffsets(OffsetsInitializer startingOffsets) {
    start = Objects.requireNonNull(startingOffsets, "Starting offsets are needed");
    return this;
  }

  /**
   * Where partitions start that appear after the first discovery. Default: the start of the log, so
   * that nothing that was written before they were discovered is missed.
   */
  public KorpseSourceBuilder<T> setNewPartitionOffsets(OffsetsInitializer offsets) {
    newPartitions = Objects.requireNonNull(offsets, "Offsets for new partitions are needed");
    return this;
  }

  /**
   * Stops each partition before this offset, looked up when the partition is discovered, and leaves
   * the source unbounded: a streaming job whose splits end. It ends when all have, unless partition
   * discovery is on.
   */
  public KorpseSourceBuilder<T> setUnbounded(OffsetsInitializer stoppingOffsets) {
    stop = Objects.requireNonNull(stoppingOffsets, "Stopping offsets are needed");
    boundedness = Boundedness.CONTINUOUS_UNBOUNDED;
    return this;
  }

  /**
   * Makes the source bounded: each partition ends before this offset, looked up once at the start,
   * and no new partitions are discovered. Stops are part of the state: a job that is restored
   * without a stop reads the restored partitions up to the stop that they had, and new ones without
   * end.
   */
  public KorpseSourceBuilder<T> setBounded(OffsetsInitializer stoppingOffsets) {
    stop = Objects.requireNonNull(stoppingOffsets, "Stopping offsets are needed");
    boundedness = Boundedness.BOUNDED;
    return this;
  }

  /** How records become elements. Needed, or {@link #setValueOnlyDeserializer}. */
  public KorpseSourceBuilder<T> setDeserializer(
      KafkaRecordDeserializationSchema<T> recordDeserializer) {
    schema = Objects.requireNonNull(recordDeserializer, "A deserializer is needed");
    return this;
  }

  /** How values become elements, when key, headers and tombstones do not matter. */
  public KorpseSourceBuilder<T> setValueOnlyDeserializer(DeserializationSchema<T> deserializer) {
    return setDeserializer(KafkaRecordDeserializationSchema.valueOnly(deserializer));
  }

  /** What client ids begin with. Default: the group id, else {@code korpse}. */
  public KorpseSourceBuilder<T> setClientIdPrefix(String prefix) {
    return set(KorpseSourceOptions.CLIENT_ID_PREFIX, prefix);
  }

  /**
   * Gives the rack of a TaskManager, so that it can read from a replica nearby. Called on the
   * TaskManager; null or empty is no rack. Default: {@code client.rack}, if that is set.
   *
   * @param rackIdSupplier may be null, which is the default
   */
  public KorpseSourceBuilder<T> setRackIdSupplier(
      @Nullable SerializableSupplier<String> rackIdSupplier) {
    rackId = rackIdSupplier;
    return this;
  }

  /**
   * Time between two looks for new partitions; zero looks only at the start. Default 5 min. What is
   * shorter than a second counts as one.
   *
   * @throws IllegalArgumentException if it is above zero and below a millisecond
   */
  public KorpseSourceBuilder<T> setDiscoveryInterval(Duration interval) {
    Duration longest = Duration.ofMillis(Long.MAX_VALUE);
    SettingsCheck.discovery(interval);
    return set(
        KorpseSourceOptions.DISCOVERY_INTERVAL,
        interval.compareTo(longest) > 0 ? Long.MAX_VALUE : interval.toMillis());
  }

  /** Which split gives the next records. Default: the one with the lowest timestamp. */
  public KorpseSourceBuilder<T> setOrder(RecordOrder order) {
    return set(KorpseSourceOptions.ORDER, order);
  }

  /** Heap that one split's records may take before it is paused. Default 4 MiB. */
  public KorpseSourceBuilder<T> setSplitBuffer(MemorySize size) {
    return set(KorpseSourceOptions.SPLIT_BUFFER, size);
  }

  /** Records that one split may have buffered before it is paused. Default 16,384. */
  public KorpseSourceBuilder<T> setSplitBufferRecords(int records) {
    return set(KorpseSourceOptions.SPLIT_BUFFER_RECORDS, records);
  }

  /** Part of its buffer to which a full split drains before it is fetched again. Default 0.5. */
  public KorpseSourceBuilder<T> setSplitResumeFraction(double fraction) {
    return set(KorpseSourceOptions.SPLIT_RESUME_FRACTION, fraction);
  }

  /** Heap that all of a subtask's records may take. Default: 5 % of the heap, at most 64 MiB. */
  public KorpseSourceBuilder<T> setReaderBuffer(MemorySize size) {
    return set(KorpseSourceOptions.READER_BUFFER, size);
  }

  /**
   * Kafka consumers that a subtask reads with, each on a thread of its own, with a part of the
   * splits and of the reader's buffer. Default 1, at most 8. Each has its own copy of what user
   * code runs on its thread: consumer factory, record hook, record size, and the schema where the
   * fetcher deserializes.
   */
  public KorpseSourceBuilder<T> setReaderConsumers(int consumers) {
    return set(KorpseSourceOptions.READER_CONSUMERS, consumers);
  }

  /** Heap that one poll may add to that. Default: an eighth of it, at most 8 MiB. */
  public KorpseSourceBuilder<T> setPollSize(MemorySize size) {
    return set(KorpseSourceOptions.POLL_SIZE, size);
  }

  /** Fetch responses of each broker that the client may keep for paused splits. Default 8. */
  public KorpseSourceBuilder<T> setRetainedResponses(int responses) {
    return set(KorpseSourceOptions.RETAINED_RESPONSES, responses);
  }

  /** Batches that may be handed over to the task thread and not yet emitted. Default 4. */
  public KorpseSourceBuilder<T> setHandoverBatches(int batches) {
    return set(KorpseSourceOptions.HANDOVER_BATCHES, batches);
  }

  /** Records of one such batch. Default 2,048. */
  public KorpseSourceBuilder<T> setHandoverRecords(int records) {
    return set(KorpseSourceOptions.HANDOVER_RECORDS, records);
  }

  /** Heap of one such batch. Default: a thirty-second of the reader's, 64 KiB to 1 MiB. */
  public KorpseSourceBuilder<T> setHandoverSize(MemorySize size) {
    return set(KorpseSourceOptions.HANDOVER_SIZE, size);
  }

  /** How long event-time order waits for a split that is empty but has more. Default 1 s. */
  public KorpseSourceBuilder<T> setOrderWait(Duration wait) {
    return set(KorpseSourceOptions.ORDER_WAIT, wait);
  }

  /** How far out of order the output may be, in event time. Default 500 ms. */
  public KorpseSourceBuilder<T> setOrderSlack(Duration slack) {
    return set(KorpseSourceOptions.ORDER_SLACK, slack);
  }

  /**
   * Up to what that slack may grow while the reader's buffer is too small to hold records of every
   * split, when it is an eighth of how far order is lost for that reason. Default 10 min; no more
   * than the slack itself for none.
   */
  public KorpseSourceBuilder<T> setOrderMaxSlack(Duration slack) {
    return set(KorpseSourceOptions.ORDER_MAX_SLACK, slack);
  }

  /**
   * How long event-time order may hold a split back. Default 10 s. Must be below the idleness
   * timeout of the watermark strategy, which the source cannot see: a split that is held longer
   * than that is taken as idle, and its records come late.
   */
  public KorpseSourceBuilder<T> setOrderMaxHold(Duration hold) {
    return set(KorpseSourceOptions.ORDER_MAX_HOLD, hold);
  }

  /**
   * What happens when the next offset is gone, or when the log was truncated below a stop that it
   * had reached: a split then ends with what there is, unless the job fails. Default: fail.
   */
  public KorpseSourceBuilder<T> setOnDataLoss(DataLossPolicy policy) {
    return set(KorpseSourceOptions.ON_DATA_LOSS, policy);
  }

  /** What happens when a topic is deleted, or created again. Default: fail. */
  public KorpseSourceBuilder<T> setOnTopicRemoved(TopicRemovalPolicy policy) {
    return set(KorpseSourceOptions.ON_TOPIC_REMOVED, policy);
  }

  /** What happens to restored partitions that are not subscribed to. Default: drop. */
  public KorpseSourceBuilder<T> setOnUnsubscribed(UnsubscribedPolicy policy) {
    return set(KorpseSourceOptions.ON_UNSUBSCRIBED, policy);
  }

  /** When positions are committed. Default: on checkpoints, if there is a group. */
  public KorpseSourceBuilder<T> setCommitMode(CommitMode mode) {
    return set(KorpseSourceOptions.COMMIT_MODE, mode);
  }

  /** Time between commits in the mode {@link CommitMode#PERIODIC}. Default 5 s. */
  public KorpseSourceBuilder<T> setCommitInterval(Duration interval) {
    return set(KorpseSourceOptions.COMMIT_INTERVAL, interval);
  }

  /**
   * After which time an unchanged position is committed again, so that the broker does not expire
   * it: below a quarter of its {@code offsets.retention.minutes}. Default 1 h.
   */
  public KorpseSourceBuilder<T> setCommitRefreshInterval(Duration interval) {
    return set(KorpseSourceOptions.COMMIT_REFRESH_INTERVAL, interval);
  }

  /** What happens to a record, or a damaged batch, that cannot be read. Default: fail. */
  public KorpseSourceBuilder<T> setOnBadRecord(BadRecordPolicy policy) {
    return set(KorpseSourceOptions.ON_BAD_RECORD, policy);
  }

  /** Gives records that cannot be read to a handler, and goes on. Default: none, the job fails. */
  public KorpseSourceBuilder<T> setBadRecordHandler(BadRecordHandler handler) {
    badRecordHandler = Objects.requireNonNull(handler, "A handler is needed");
    return set(KorpseSourceOptions.ON_BAD_RECORD, BadRecordPolicy.HANDLER);
  }

  /** Bad records that a subtask may pass over within a time. Default: 1,000 in 1 min. */
  public KorpseSourceBuilder<T> setBadRecordLimit(int records, Duration within) {
    set(KorpseSourceOptions.BAD_RECORD_WINDOW, within);
    return set(KorpseSourceOptions.BAD_RECORD_LIMIT, records);
  }

  /** What happens to records without a value. Default: the schema decides. */
  public KorpseSourceBuilder<T> setTombstones(TombstonePolicy policy) {
    return set(KorpseSourceOptions.TOMBSTONES, policy);
  }

  /**
   * Most records per second that the source emits, divided evenly among its subtasks. Fetching
   * slows down with it, since buffers are bounded. Default: no limit.
   */
  public KorpseSourceBuilder<T> setRateLimit(double recordsPerSecond) {
    return set(KorpseSourceOptions.RATE_LIMIT, recordsPerSecond);
  }

  /**
   * Whether records are deserialized on the fetcher thread, beside the work of the task. The schema
   * must say that it {@link KafkaRecordDeserializationSchema#allowsFetcherThread() allows} that;
   * one given to {@link #setValueOnlyDeserializer} must make a new object for each record and use
   * nothing of the task's thread. Default false.
   */
  public KorpseSourceBuilder<T> setDeserializeOnFetcher(boolean onFetcher) {
    return set(KorpseSourceOptions.DESERIALIZE_ON_FETCHER, onFetcher);
  }

  /**
   * Ends a split at the first element for which this is true; it is not emitted itself. Default:
   * none does.
   *
   * @param evaluator may be null, which is the default
   */
  public KorpseSourceBuilder<T> setEofRecordEvaluator(@Nullable RecordEvaluator<T> evaluator) {
    endOfStream = evaluator;
    return this;
  }

  /** Makes the consumers that read. Default: a plain {@code KafkaConsumer}. */
  public KorpseSourceBuilder<T> setConsumerFactory(KafkaConsumerFactory factory) {
    extensions = extensions.with(Objects.requireNonNull(factory, "A consumer factory is needed"));
    return this;
  }

  /** Looks at each record before it is buffered, and may change or drop it. Default: none. */
  public KorpseSourceBuilder<T> setRecordHook(RecordHook hook) {
    extensions = extensions.with(Objects.requireNonNull(hook, "A record hook is needed"));
    return this;
  }

  /** What a record counts in the buffers. Default: the heap that it takes. */
  public KorpseSourceBuilder<T> setRecordSize(RecordSize size) {
    extensions = extensions.with(Objects.requireNonNull(size, "A record size is needed"));
    return this;
  }

  /**
   * Sets a key of Kafka's consumer configuration, or of {@link KorpseSourceOptions}.
   *
   * @throws IllegalArgumentException if the key begins with {@code korpse.} and is none of those,
   *     or if the value cannot be read as that option's type
   */
  public KorpseSourceBuilder<T> setProperty(String key, String value) {
    properties.put(key, value);
    return this;
  }

  /**
   * Sets several keys as {@link #setProperty} does. Numbers and booleans are taken as their text.
   *
   * @throws IllegalArgumentException if a value is neither text nor number nor boolean, and as
   *     {@link #setProperty} does
   */
  public KorpseSourceBuilder<T> setProperties(Properties several) {
    properties.putAll(several);
    return this;
  }

  private <V> KorpseSourceBuilder<T> set(ConfigOption<V> option, V value) {
    properties.set(option, value);
    return this;
  }

  /**
   * The source.
   *
   * @throws IllegalStateException if brokers, a subscription, a deserializer or, for commits, a
   *     group is missing; the message names the method to call
   * @throws IllegalArgumentException if a value is wrong; the message names key, value and remedy
   */
  public KorpseSource<T> build() {
    if (subscription == null) {
      throw new IllegalStateException(SettingsCheck.NO_SUBSCRIPTION);
    }
    if (schema == null) {
      throw new IllegalStateException(SettingsCheck.NO_DESERIALIZER);
    }
    SourceSettings settings =
        new SourceSettings(
                SettingsCheck.kafka(properties.kafka()),
                properties.options(),
                boundedness,
                rackId,
                badRecordHandler,
                endOfStream)
            .with(extensions);
    SettingsCheck.check(settings, properties.options());
    SettingsCheck.threads(settings, schema);
    boolean hasGroup = settings.groupId().isPresent();
    OffsetRule stopRule = stop == null ? null : stop.rule(hasGroup);
    OffsetRules rules =
        new OffsetRules(start.rule(hasGroup), newPartitions.rule(hasGroup), stopRule);
    KorpseSource<T> source = new KorpseSource<>(subscription, rules, schema, settings);
    SettingsCheck.serializable(source, schema, subscription);
    return source;
  }
}
