package io.korpse.flink.source;

import io.korpse.offsets.DataLossPolicy;
import java.time.Duration;
import java.util.List;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;

/**
 * The options of the source that {@link KorpseSourceBuilder#setProperty} takes beside Kafka's own.
 *
 * <p>Sizes are written as {@code 4 mb}, durations as {@code 10 s} or {@code 250 ms}; a number alone
 * is bytes or milliseconds. Keys without the prefix {@code korpse.} are those of Flink's own Kafka
 * connector, with its meaning.
 */
public final class KorpseSourceOptions {

  /** What every key of Korpse's own begins with. */
  public static final String PREFIX = "korpse.";

  /** Prefix of all client ids. */
  public static final ConfigOption<String> CLIENT_ID_PREFIX =
      ConfigOptions.key("client.id.prefix")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "What the ids of all Kafka clients begin with. Unset: the group id, else 'korpse'.");

  /** Interval of partition discovery. */
  public static final ConfigOption<Long> DISCOVERY_INTERVAL =
      ConfigOptions.key("partition.discovery.interval.ms")
          .longType()
          .defaultValue(300_000L)
          .withDescription(
              "Milliseconds between two looks for new and removed partitions; with 0 or less, and"
                  + " in a bounded source, new ones are found only at the start, and removed ones"
                  + " within a minute. Lower it when new partitions must be read soon; below 1000"
                  + " there is a look each second.");

  /** Failed discoveries that are tolerated. */
  public static final ConfigOption<Integer> DISCOVERY_FAILURES =
      ConfigOptions.key(PREFIX + "discovery.tolerated-failures")
          .intType()
          .defaultValue(20)
          .withDescription(
              "How many discoveries in a row may fail before the job does, once one has succeeded."
                  + " Failed ones are repeated after 1 s, doubling up to 30 s. 0 tolerates none.");

  /** How long the cluster may be unreachable at the start. */
  public static final ConfigOption<Duration> CONNECT_TIMEOUT =
      ConfigOptions.key(PREFIX + "connect.timeout")
          .durationType()
          .defaultValue(Duration.ofSeconds(20))
          .withDescription(
              "How long the first discovery may take before the job fails, naming the brokers.");

  /** How long a partition may stay without start offset. */
  public static final ConfigOption<Duration> OFFSETS_TIMEOUT =
      ConfigOptions.key(PREFIX + "offsets.timeout")
          .durationType()
          .defaultValue(Duration.ofMinutes(5))
          .withDescription(
              "How long the offsets of one partition may be unknown, as without a leader, before"
                  + " the job fails, naming it. The other partitions are read meanwhile.");

  /** What happens when a topic is gone. */
  public static final ConfigOption<TopicRemovalPolicy> ON_TOPIC_REMOVED =
      ConfigOptions.key(PREFIX + "on-topic-removed")
          .enumType(TopicRemovalPolicy.class)
          .defaultValue(TopicRemovalPolicy.FAIL)
          .withDescription(
              "What happens when a topic or partition that is being read is gone, or was deleted"
                  + " and created again: fail, or continue without it.");

  /** What happens to restored partitions that are no longer subscribed to. */
  public static final ConfigOption<UnsubscribedPolicy> ON_UNSUBSCRIBED =
      ConfigOptions.key(PREFIX + "on-unsubscribed")
          .enumType(UnsubscribedPolicy.class)
          .defaultValue(UnsubscribedPolicy.DROP)
          .withDescription(
              "What happens to a restored partition that is no longer subscribed to, as after a"
                  + " change of the topic list: drop, keep or fail.");

  /** What happens when wanted records are gone. */
  public static final ConfigOption<DataLossPolicy> ON_DATA_LOSS =
      ConfigOptions.key(PREFIX + "on-data-loss")
          .enumType(DataLossPolicy.class)
          .defaultValue(DataLossPolicy.FAIL)
          .withDescription(
              "What happens when the next offset is no longer on the broker, or the log was"
                  + " truncated below it: fail, or continue at the earliest or latest offset and"
                  + " count what was lost. Also when the log of a bounded split was truncated below"
                  + " its stop: fail, or end with what there is.");

  /** Buffer of one split. */
  public static final ConfigOption<MemorySize> SPLIT_BUFFER =
      ConfigOptions.key(PREFIX + "split.buffer.size")
          .memoryType()
          .defaultValue(MemorySize.ofMebiBytes(4))
          .withDescription(
              "Bytes of heap that the records of one split may take between broker and operator;"
                  + " a split that has more is paused. Raise it when single records are larger.");

  /** Records in the buffer of one split. */
  public static final ConfigOption<Integer> SPLIT_BUFFER_RECORDS =
      ConfigOptions.key(PREFIX + "split.buffer.records")
          .intType()
          .defaultValue(16_384)
          .withDescription("How many records one split may have buffered, whatever their size.");

  /** When a full split is resumed. */
  public static final ConfigOption<Double> SPLIT_RESUME_FRACTION =
      ConfigOptions.key(PREFIX + "split.buffer.resume-fraction")
          .doubleType()
          .defaultValue(0.5)
          .withDescription(
              "A paused split is resumed when its buffer has drained to this part of its size;"
                  + " above 0 and below 1.");

  /** Buffer of one reader. */
  public static final ConfigOption<MemorySize> READER_BUFFER =
      ConfigOptions.key(PREFIX + "reader.buffer.size")
          .memoryType()
          .noDefaultValue()
          .withDescription(
              "Bytes of heap that the records of all splits of one subtask may take. Unset: 5 % of"
                  + " the heap, at most 64 MiB.");

  /** Consumers of one reader. */
  public static final ConfigOption<Integer> READER_CONSUMERS =
      ConfigOptions.key(PREFIX + "reader.consumers")
          .intType()
          .defaultValue(1)
          .withDescription(
              "How many Kafka consumers one subtask reads with, each on a thread of its own, with"
                  + " its own part of the subtask's splits and of its buffer; from 1 to 8. Raise it"
                  + " when fetcherCpuTime grows by nearly a second per second, cores are free, and"
                  + " more subtasks are no option.");

  /** Bytes of one poll. */
  public static final ConfigOption<MemorySize> POLL_SIZE =
      ConfigOptions.key(PREFIX + "reader.poll.size")
          .memoryType()
          .noDefaultValue()
          .withDescription(
              "Bytes of heap that one poll may add to the reader's buffer; one record is always let"
                  + " through. Unset: an eighth of the reader's buffer, at most 8 MiB. Lower it"
                  + " when records unpack to much more than they are on the wire and the heap is"
                  + " small.");

  /** Fetch responses that paused splits may pin. */
  public static final ConfigOption<Integer> RETAINED_RESPONSES =
      ConfigOptions.key(PREFIX + "reader.retained-responses")
          .intType()
          .defaultValue(8)
          .withDescription(
              "How many fetch responses of each broker the client may keep for splits that are"
                  + " paused. Beyond that the oldest is dropped, and fetched again later. Lower it"
                  + " when the heap is small, raise it when splitsShed grows.");

  /** Batches between the fetcher and the task thread. */
  public static final ConfigOption<Integer> HANDOVER_BATCHES =
      ConfigOptions.key(PREFIX + "handover.batches")
          .intType()
          .defaultValue(4)
          .withDescription(
              "How many batches may be handed over to the task thread and not yet emitted. Fewer"
                  + " make a pause by watermark alignment more exact, more help a task thread that"
                  + " takes records in bursts.");

  /** Records of one such batch. */
  public static final ConfigOption<Integer> HANDOVER_RECORDS =
      ConfigOptions.key(PREFIX + "handover.records")
          .intType()
          .defaultValue(2_048)
          .withDescription("How many records one batch that is handed over may hold.");

  /** Bytes of one such batch. */
  public static final ConfigOption<MemorySize> HANDOVER_SIZE =
      ConfigOptions.key(PREFIX + "handover.size")
          .memoryType()
          .noDefaultValue()
          .withDescription(
              "Bytes of heap that one batch that is handed over may hold; one record is always let"
                  + " through. Unset: a thirty-second of the reader's buffer, from 64 KiB to 1"
                  + " MiB.");

  /** Order among splits. */
  public static final ConfigOption<RecordOrder> ORDER =
      ConfigOptions.key(PREFIX + "order")
          .enumType(RecordOrder.class)
          .defaultValue(RecordOrder.EVENT_TIME)
          .withDescription(
              "Which split gives the next records: the one with the lowest timestamp, or each in"
                  + " turn.");

  /** How long an empty split is waited for. */
  public static final ConfigOption<Duration> ORDER_WAIT =
      ConfigOptions.key(PREFIX + "order.wait")
          .durationType()
          .defaultValue(Duration.ofSeconds(1))
          .withDescription(
              "In event-time order, how long to wait for a split that is empty but has more on the"
                  + " broker. 0 never waits.");

  /** How far a run may go ahead. */
  public static final ConfigOption<Duration> ORDER_SLACK =
      ConfigOptions.key(PREFIX + "order.slack")
          .durationType()
          .defaultValue(Duration.ofMillis(500))
          .withDescription(
              "In event-time order, how far the records of one split may go beyond the next record"
                  + " of another: how much out of order the output may be. More makes longer runs,"
                  + " which cost less; 0 is strict.");

  /** How far a run may go ahead where order is lost. */
  public static final ConfigOption<Duration> ORDER_MAX_SLACK =
      ConfigOptions.key(PREFIX + "order.max-slack")
          .durationType()
          .defaultValue(Duration.ofMinutes(10))
          .withDescription(
              "In event-time order, up to what the slack may grow while the reader's buffer is too"
                  + " small to hold records of every split: then it is an eighth of how far the"
                  + " output is out of order for that reason. At most order.slack: it never grows.");

  /** How long a split may be held back. */
  public static final ConfigOption<Duration> ORDER_MAX_HOLD =
      ConfigOptions.key(PREFIX + "order.max-hold")
          .durationType()
          .defaultValue(Duration.ofSeconds(10))
          .withDescription(
              "In event-time order, how long a split may be held back because the others are"
                  + " earlier. Keep it below the idleness of the watermark strategy.");

  /** Commit mode. */
  public static final ConfigOption<CommitMode> COMMIT_MODE =
      ConfigOptions.key(PREFIX + "commit.mode")
          .enumType(CommitMode.class)
          .noDefaultValue()
          .withDescription(
              "When positions are written to the consumer group. Unset: on_checkpoint with a group"
                  + " id, disabled without.");

  /** The peer's switch for commits. */
  public static final ConfigOption<Boolean> COMMIT_ON_CHECKPOINT =
      ConfigOptions.key("commit.offsets.on.checkpoint")
          .booleanType()
          .noDefaultValue()
          .withDescription(
              "The other name of the commit mode: true is on_checkpoint, false is disabled.");

  /** Commit interval. */
  public static final ConfigOption<Duration> COMMIT_INTERVAL =
      ConfigOptions.key(PREFIX + "commit.interval")
          .durationType()
          .defaultValue(Duration.ofSeconds(5))
          .withDescription("Time between two commits in the commit mode periodic.");

  /** Refresh of committed positions. */
  public static final ConfigOption<Duration> COMMIT_REFRESH_INTERVAL =
      ConfigOptions.key(PREFIX + "commit.refresh-interval")
          .durationType()
          .defaultValue(Duration.ofHours(1))
          .withDescription(
              "After which time a position that has not changed is committed again, so that the"
                  + " broker does not expire it. Keep it below a quarter of the broker's"
                  + " offsets.retention.minutes.");

  /** What happens to a record that cannot be read. */
  public static final ConfigOption<BadRecordPolicy> ON_BAD_RECORD =
      ConfigOptions.key(PREFIX + "on-bad-record")
          .enumType(BadRecordPolicy.class)
          .defaultValue(BadRecordPolicy.FAIL)
          .withDescription(
              "What happens to a record that the schema cannot read, and to a batch that is damaged"
                  + " on the broker: fail, skip, or handler (which only the builder can set).");

  /** How many bad records are tolerated. */
  public static final ConfigOption<Integer> BAD_RECORD_LIMIT =
      ConfigOptions.key(PREFIX + "bad-record.limit")
          .intType()
          .defaultValue(1_000)
          .withDescription(
              "How many bad records one subtask may skip within the window before it fails: a"
                  + " wrong schema should not empty a topic.");

  /** The window of {@link #BAD_RECORD_LIMIT}. */
  public static final ConfigOption<Duration> BAD_RECORD_WINDOW =
      ConfigOptions.key(PREFIX + "bad-record.window")
          .durationType()
          .defaultValue(Duration.ofMinutes(1))
          .withDescription("The time over which skipped bad records are counted for the limit.");

  /** What happens to a record without a value. */
  public static final ConfigOption<TombstonePolicy> TOMBSTONES =
      ConfigOptions.key(PREFIX + "tombstones")
          .enumType(TombstonePolicy.class)
          .defaultValue(TombstonePolicy.AUTO)
          .withDescription(
              "What happens to a record without a value: auto leaves it to the schema, pass, skip"
                  + " or fail.");

  /** Records per second. */
  public static final ConfigOption<Double> RATE_LIMIT =
      ConfigOptions.key(PREFIX + "rate-limit")
          .doubleType()
          .noDefaultValue()
          .withDescription(
              "Most records per second that the source emits, divided evenly among its subtasks; a"
                  + " subtask with less to read does not pass its share on. Unset: no limit. Set it"
                  + " to protect what comes after, as during a replay.");

  /** Where records are deserialized. */
  public static final ConfigOption<Boolean> DESERIALIZE_ON_FETCHER =
      ConfigOptions.key(PREFIX + "deserialize-on-fetcher")
          .booleanType()
          .defaultValue(false)
          .withDescription(
              "Whether records are deserialized by the thread that fetches them, beside the task's"
                  + " own work, instead of by the task thread. The schema must allow it: it gives"
                  + " new objects for each record and uses nothing that belongs to the task's"
                  + " thread. Set it when deserializing is much of the task's work and a core is"
                  + " free.");

  /** Whether the Kafka client's metrics are registered. */
  public static final ConfigOption<Boolean> CONSUMER_METRICS =
      ConfigOptions.key("register.consumer.metrics")
          .booleanType()
          .defaultValue(true)
          .withDescription("Whether the metrics of the Kafka consumer are metrics of Flink too.");

  /** How often lag is refreshed. */
  public static final ConfigOption<Duration> LAG_INTERVAL =
      ConfigOptions.key(PREFIX + "lag.interval")
          .durationType()
          .defaultValue(Duration.ofSeconds(1))
          .withDescription(
              "How often end offsets are asked of the broker for splits that are not fetched.");

  /** How long closing may take. */
  public static final ConfigOption<Duration> CLOSE_TIMEOUT =
      ConfigOptions.key(PREFIX + "close.timeout")
          .durationType()
          .defaultValue(Duration.ofSeconds(10))
          .withDescription(
              "How long each client of a subtask may take to close: what reads, and then what"
                  + " commits, which has this time for what is not committed yet.");

  private static final List<ConfigOption<?>> ALL =
      List.of(
          CLIENT_ID_PREFIX,
          DISCOVERY_INTERVAL,
          DISCOVERY_FAILURES,
          CONNECT_TIMEOUT,
          OFFSETS_TIMEOUT,
          ON_TOPIC_REMOVED,
          ON_UNSUBSCRIBED,
          ON_DATA_LOSS,
          SPLIT_BUFFER,
          SPLIT_BUFFER_RECORDS,
          SPLIT_RESUME_FRACTION,
          READER_BUFFER,
          READER_CONSUMERS,
          POLL_SIZE,
          RETAINED_RESPONSES,
          HANDOVER_BATCHES,
          HANDOVER_RECORDS,
          HANDOVER_SIZE,
          ORDER,
          ORDER_WAIT,
          ORDER_SLACK,
          ORDER_MAX_SLACK,
          ORDER_MAX_HOLD,
          COMMIT_MODE,
          COMMIT_ON_CHECKPOINT,
          COMMIT_INTERVAL,
          COMMIT_REFRESH_INTERVAL,
          ON_BAD_RECORD,
          BAD_RECORD_LIMIT,
          BAD_RECORD_WINDOW,
          TOMBSTONES,
          RATE_LIMIT,
          DESERIALIZE_ON_FETCHER,
          CONSUMER_METRICS,
          LAG_INTERVAL,
          CLOSE_TIMEOUT);

  private KorpseSourceOptions() {}

  /** Every option, in the order of the documentation. */
  public static List<ConfigOption<?>> all() {
    return ALL;
  }
}
