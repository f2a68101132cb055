package io.korpse.flink.source;

import io.korpse.flink.source.deserializer.KafkaRecordDeserializationSchema;
import io.korpse.flink.source.enumerator.Subscription;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Properties;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.util.InstantiationUtil;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rules that a source must keep, and what it takes for granted of Kafka. */
final class SettingsCheck {

  static final String NO_SUBSCRIPTION =
      "Nothing to read: call setTopics, setTopicPattern, setPartitions or setKafkaSubscriber";
  static final String NO_DESERIALIZER =
      "No deserializer: call setDeserializer or setValueOnlyDeserializer";

  private static final Logger LOG = LoggerFactory.getLogger(KorpseSourceBuilder.class);

  /** What the source needs of the consumer, and why another value would not do. */
  private static final Map<String, String> FIXED =
      Map.of(
          ConsumerConfig.GROUP_PROTOCOL_CONFIG,
          "classic",
          ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
          "none",
          ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
          "false",
          ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
          "false");

  /** What the reader derives where the user did not set it, and where he did, counts with. */
  private static final List<String> FETCHING =
      List.of(
          ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
          ConsumerConfig.FETCH_MAX_BYTES_CONFIG,
          ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
          ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
          ConsumerConfig.RECEIVE_BUFFER_CONFIG);

  /** Longer times do not fit into the nanoseconds that are counted with. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private static final Duration SHORTEST = Duration.ofMillis(1);

  /** Room for each batch is made at once. */
  private static final int MOST_BATCHES = 10_000;

  private static final int MOST_CONSUMERS = 8;

  private SettingsCheck() {}

  /** Kafka's configuration with what the source fixes, after a check of what the user gave. */
  static Properties kafka(Properties given) {
    String servers = given.getProperty(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, "");
    state(!servers.isBlank(), "No brokers: call setBootstrapServers, as in \"localhost:9092\"");
    String group = given.getProperty(ConsumerConfig.GROUP_ID_CONFIG);
    require(group == null || !group.isBlank(), "The group id is blank; give one or leave it out");
    String autoCommit = given.getProperty(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    require(
        !autoCommit.strip().equalsIgnoreCase("true"),
        "enable.auto.commit=true would commit what was not processed; use setCommitMode(PERIODIC)"
            + " for commits without checkpoints");
    String isolation = given.getProperty(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted");
    require(
        isolation.equals("read_uncommitted") || isolation.equals("read_committed"),
        "isolation.level is '" + isolation + "'; it is read_uncommitted or read_committed");
    FIXED.forEach(
        (key, value) -> {
          String other = given.getProperty(key);
          if (other != null && !other.strip().toLowerCase(Locale.ROOT).equals(value)) {
            LOG.warn("{}={} is ignored, the source sets {}{}", key, other, value, instead(key));
          }
          given.setProperty(key, value);
        });
    if (given.remove(ConsumerConfig.CLIENT_ID_CONFIG) != null) {
      LOG.warn("client.id is ignored, since each client needs its own; set client.id.prefix");
    }
    FETCHING.forEach(key -> number(given, key));
    bytes(given, ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG);
    bytes(given, ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG);
    return given;
  }

  /** As Kafka's consumer would, but now. What a config provider gives is not known yet. */
  private static void number(Properties given, String key) {
    String value = given.getProperty(key);
    boolean provided = value != null && value.contains("${");
    require(
        !provided || !key.equals(ConsumerConfig.MAX_POLL_RECORDS_CONFIG),
        key + " is '" + value + "'; it is a number, since the reader counts with it");
    if (value == null || provided) {
      return;
    }
    ConfigDef.ConfigKey definition = ConsumerConfig.configDef().configKeys().get(key);
    try {
      Object parsed = ConfigDef.parseType(key, value, definition.type);
      definition.validator.ensureValid(key, parsed);
    } catch (ConfigException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private static String instead(String key) {
    return key.equals(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG)
        ? "; use setStartingOffsets for the start and setOnDataLoss for lost offsets"
        : "";
  }

  private static void bytes(Properties given, String key) {
    String name = given.getProperty(key);
    if (name == null) {
      given.setProperty(key, ByteArrayDeserializer.class.getName());
    } else {
      ByteDeserializers.check(key, name);
    }
  }

  static void check(SourceSettings settings, Configuration options) {
    positive(settings.splitBufferBytes(), KorpseSourceOptions.SPLIT_BUFFER);
    positive(settings.splitBufferRecords(), KorpseSourceOptions.SPLIT_BUFFER_RECORDS);
    settings
        .readerBufferBytes()
        .ifPresent(
            bytes ->
                require(
                    bytes >= settings.splitBufferBytes(),
                    "korpse.reader.buffer.size is "
                        + bytes
                        + " bytes and less than one split's korpse.split.buffer.size of "
                        + settings.splitBufferBytes()
                        + "; raise the one or lower the other"));
    settings
        .readerBufferBytes()
        .ifPresent(
            bytes ->
                require(
                    !settings.isSplitBufferGiven()
                        || settings.splitBufferBytes() <= bytes / SourceSettings.SPLITS_IN_READER,
                    "korpse.split.buffer.size is "
                        + settings.splitBufferBytes()
                        + " bytes and more than a quarter, which is the most that one split may"
                        + " have, of the korpse.reader.buffer.size of "
                        + bytes
                        + "; lower the one or raise the other"));
    double fraction = settings.splitResumeFraction();
    require(
        fraction > 0 && fraction < 1,
        "korpse.split.buffer.resume-fraction is " + fraction + "; it is above 0 and below 1");
    require(
        !settings.clientIdPrefix().isBlank(),
        "client.id.prefix is blank; give one or leave it out");
    fitsReader(settings.pollBytes(), settings, KorpseSourceOptions.POLL_SIZE);
    fitsReader(settings.handoverBytes(), settings, KorpseSourceOptions.HANDOVER_SIZE);
    positive(settings.retainedResponses(), KorpseSourceOptions.RETAINED_RESPONSES);
    consumers(settings.readerConsumers(), settings.retainedResponses());
    positive(settings.handoverBatches(), KorpseSourceOptions.HANDOVER_BATCHES);
    require(
        settings.handoverBatches() <= MOST_BATCHES,
        "korpse.handover.batches is "
            + settings.handoverBatches()
            + "; it is at most "
            + MOST_BATCHES);
    positive(settings.handoverRecords(), KorpseSourceOptions.HANDOVER_RECORDS);
    notNegative(settings.orderWait(), KorpseSourceOptions.ORDER_WAIT);
    notNegative(settings.orderSlack(), KorpseSourceOptions.ORDER_SLACK);
    notNegative(settings.orderMaxSlack(), KorpseSourceOptions.ORDER_MAX_SLACK);
    positive(settings.maxHold(), KorpseSourceOptions.ORDER_MAX_HOLD);
    require(
        settings.toleratedDiscoveryFailures() >= 0,
        "korpse.discovery.tolerated-failures is "
            + settings.toleratedDiscoveryFailures()
            + "; it is at least 0");
    positive(settings.connectTimeout(), KorpseSourceOptions.CONNECT_TIMEOUT);
    positive(settings.offsetsTimeout(), KorpseSourceOptions.OFFSETS_TIMEOUT);
    positive(settings.commitInterval(), KorpseSourceOptions.COMMIT_INTERVAL);
    positive(settings.commitRefreshInterval(), KorpseSourceOptions.COMMIT_REFRESH_INTERVAL);
    positive(settings.lagInterval(), KorpseSourceOptions.LAG_INTERVAL);
    positive(settings.closeTimeout(), KorpseSourceOptions.CLOSE_TIMEOUT);
    positive(settings.badRecordWindow(), KorpseSourceOptions.BAD_RECORD_WINDOW);
    require(
        settings.badRecordLimit() >= 0,
        "korpse.bad-record.limit is " + settings.badRecordLimit() + "; it is at least 0");
    require(
        settings.onBadRecord() != BadRecordPolicy.HANDLER
            || settings.badRecordHandler().isPresent(),
        "korpse.on-bad-record is handler, but there is none; call setBadRecordHandler");
    settings
        .rateLimit()
        .ifPresent(
            rate ->
                require(
                    rate > 0 && rate < Double.POSITIVE_INFINITY,
                    "korpse.rate-limit is "
                        + rate
                        + " records per second; it is above 0, or left out for no limit"));
    commits(settings, options);
  }

  /** Each consumer may retain a response and read another, within what one consumer may. */
  private static void consumers(int consumers, int responses) {
    String key = KorpseSourceOptions.READER_CONSUMERS.key();
    require(
        consumers >= 1 && consumers <= MOST_CONSUMERS,
        key + " is " + consumers + "; it is at least 1 and at most " + MOST_CONSUMERS);
    require(
        consumers == 1 || 2 * consumers <= responses + 1,
        key
            + " is "
            + consumers
            + ", which needs a korpse.reader.retained-responses of at least "
            + (2 * consumers - 1)
            + ", and that is "
            + responses
            + "; lower the one or raise the other");
  }

  private static void commits(SourceSettings settings, Configuration options) {
    CommitMode mode = options.getOptional(KorpseSourceOptions.COMMIT_MODE).orElse(null);
    Boolean onCheckpoint =
        options.getOptional(KorpseSourceOptions.COMMIT_ON_CHECKPOINT).orElse(null);
    require(
        mode == null || onCheckpoint == null || onCheckpoint == mode.onCheckpoints(),
        "korpse.commit.mode="
            + mode
            + " contradicts commit.offsets.on.checkpoint="
            + onCheckpoint
            + "; set one of them");
    boolean wanted = mode != null ? mode != CommitMode.DISABLED : Boolean.TRUE.equals(onCheckpoint);
    state(
        !wanted || settings.groupId().isPresent(),
        "Commits are asked for, but there is no consumer group to commit to; call setGroupId");
    if (settings.groupId().isEmpty()) {
      LOG.info("Without a group id no positions are committed, and none show in group tools");
    }
  }

  static void threads(SourceSettings settings, KafkaRecordDeserializationSchema<?> schema) {
    require(
        !settings.deserializeOnFetcher() || schema.allowsFetcherThread(),
        "korpse.deserialize-on-fetcher is true, but a "
            + schema.getClass().getName()
            + " does not allow it; let its allowsFetcherThread() return true if it gives new"
            + " objects for each record and uses nothing of the task's thread, or leave the option"
            + " out");
  }

  /** Says now, and by name, what would otherwise fail when the job is submitted. */
  static void serializable(
      KorpseSource<?> source,
      KafkaRecordDeserializationSchema<?> schema,
      Subscription subscription) {
    List<Object> parts = new ArrayList<>(List.of(schema, subscription));
    parts.addAll(source.settings().extensions().parts());
    parts.add(source);
    for (Object part : parts) {
      try {
        InstantiationUtil.serializeObject(part);
      } catch (IOException e) {
        throw new IllegalArgumentException(
            "A "
                + part.getClass().getName()
                + " that was given to the source cannot be serialized ("
                + e
                + "); make what it refers to serializable or transient",
            e);
      }
    }
  }

  private static void fitsReader(
      OptionalLong bytes, SourceSettings settings, ConfigOption<?> option) {
    bytes.ifPresent(
        size -> {
          positive(size, option);
          settings
              .readerBufferBytes()
              .ifPresent(
                  reader ->
                      require(
                          size <= reader,
                          option.key()
                              + " is "
                              + size
                              + " bytes and more than the korpse.reader.buffer.size of "
                              + reader
                              + "; lower the one or raise the other"));
        });
  }

  private static void positive(long value, ConfigOption<?> option) {
    require(value > 0, option.key() + " is " + value + "; it is above 0");
  }

  private static void positive(Duration value, ConfigOption<?> option) {
    notTooLong(value, option);
    // All of them are counted in milliseconds, and less than one would be none.
    require(
        value.compareTo(SHORTEST) >= 0,
        option.key() + " is " + value + "; it is at least " + SHORTEST.toMillis() + " ms");
  }

  /** Rejects null too. */
  static void discovery(Duration interval) {
    Objects.requireNonNull(interval, "A discovery interval is needed; zero looks once");
    if (interval.compareTo(Duration.ZERO) > 0) {
      require(
          interval.compareTo(SHORTEST) >= 0,
          KorpseSourceOptions.DISCOVERY_INTERVAL.key()
              + " is "
              + interval
              + "; it is at least 1 ms, or zero to look only at the start");
    }
  }

  private static void notTooLong(Duration value, ConfigOption<?> option) {
    require(
        value.compareTo(LONGEST) <= 0,
        option.key() + " is " + value + "; it is at most " + LONGEST.toDays() + " days");
  }

  private static void notNegative(Duration value, ConfigOption<?> option) {
    notTooLong(value, option);
    require(
        !value.isNegative(), option.key() + " is " + value.toMillis() + " ms; it is at least 0");
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }

  private static void state(boolean condition, String message) {
    if (!condition) {
      throw new IllegalStateException(message);
    }
  }
}
