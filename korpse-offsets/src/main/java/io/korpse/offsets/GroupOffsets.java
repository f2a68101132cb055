package io.korpse.offsets;

import io.korpse.offsets.Resolution.Resolved;
import io.korpse.offsets.Resolution.Unresolved;
import io.korpse.offsets.commit.SyncCommitter;
import io.korpse.offsets.lag.LagValue;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The offsets of a program that reads in batches: where do I start, store what I did, how far
 * behind am I.
 *
 * <p>Blocking, for one caller at a time. A program that works all the time commits with {@link
 * io.korpse.offsets.commit.OffsetCommitter} and watches with {@link
 * io.korpse.offsets.lag.LagTracker} instead.
 */
public final class GroupOffsets implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(GroupOffsets.class);

  private final Admin admin;
  private final String groupId;
  private final IsolationLevel isolation;
  private final OffsetRule start;
  private final RangePolicy ranges;
  private final Duration timeout;
  private final OffsetResolver resolver;
  private final BrokerQuestions questions;
  private final SyncCommitter committer;

  // A start that is not what was committed (the fallback, or the log start after data loss) is
  // accepted as the start of the first range that is stored, unless another has stored meanwhile.
  private final Map<TopicPartition, GivenStart> startsGiven = new HashMap<>();

  /** A start, and what was committed just before it was found; null for nothing. */
  private record GivenStart(long offset, Long committed) {}

  private GroupOffsets(Builder builder) {
    this.admin = builder.admin();
    this.groupId = builder.groupId;
    this.isolation = builder.isolation;
    this.start = builder.start;
    this.ranges = builder.ranges;
    this.timeout = builder.timeout;
    BrokerOffsets broker = new AdminBrokerOffsets(admin);
    this.resolver =
        new OffsetResolver(broker, groupId, isolation, builder.onDataLoss, timeout, builder.clock);
    this.questions = new BrokerQuestions(broker, timeout, builder.clock);
    this.committer = new SyncCommitter(admin, groupId, builder.clientId, timeout, builder.clock);
  }

  /**
   * Starts a builder for one group; {@code bootstrapServers} as in Kafka: "host:port,host:port".
   */
  public static Builder builder(String bootstrapServers, String groupId) {
    return new Builder(bootstrapServers, groupId);
  }

  /**
   * Where each partition of the topics starts, by the start rule.
   *
   * @throws OffsetsException if a topic does not exist or a partition has no start
   */
  public Map<TopicPartition, Position> startingOffsets(String... topics) {
    Map<TopicPartition, Position> starts = new LinkedHashMap<>();
    Map<TopicPartition, String> missing = new HashMap<>();
    List<TopicPartition> partitions = partitions(topics);
    questions.begin();
    Map<TopicPartition, OffsetAndMetadata> commits =
        questions.committed(groupId, partitions).found();
    resolver
        .resolve(partitions, start)
        .forEach(
            (partition, resolution) -> {
              if (resolution instanceof Resolved resolved) {
                starts.put(partition, resolved.position());
                if (!resolved.detail().isEmpty()) {
                  LOG.info("{}", resolved);
                }
              } else {
                missing.put(partition, ((Unresolved) resolution).reason());
              }
            });
    if (!missing.isEmpty()) {
      throw new OffsetsException(
          "No starting offsets of " + missing.size() + " partitions:", missing);
    }
    starts.forEach(
        (partition, position) -> {
          if (commits.containsKey(partition)) {
            startsGiven.put(
                partition, new GivenStart(position.offset(), offsetOf(commits.get(partition))));
          }
        });
    return starts;
  }

  /**
   * As {@link #startingOffsets}, with where each number came from, and without an exception for
   * single partitions.
   */
  public Map<TopicPartition, Resolution> resolve(String... topics) {
    return resolver.resolve(partitions(topics), start);
  }

  /**
   * Commits the end of each range. Several ranges of one partition must join on to each other.
   *
   * <p>Where a range does not start at what is committed (or at what {@link #startingOffsets} gave,
   * if nobody has stored since), something was left out or done twice: by the {@link RangePolicy}
   * nothing is stored at all, or it is logged and stored. A partition without a commit takes any
   * start. So of two programs that run at once by mistake, the second to store is refused; only two
   * that store at the very same moment are not told apart, since brokers know no condition.
   *
   * @throws OffsetsException if a range is refused, or if not all could be stored; the others are
   */
  public void store(Collection<OffsetRange> done) {
    Map<TopicPartition, OffsetRange> joined = join(done);
    if (joined.isEmpty()) {
      return;
    }
    check(joined);
    Map<TopicPartition, Position> positions = new LinkedHashMap<>();
    joined.forEach((partition, range) -> positions.put(partition, range.until()));
    Map<TopicPartition, String> left = committer.commit(positions, timeout);
    positions
        .keySet()
        .forEach(
            partition -> {
              if (!left.containsKey(partition)) {
                startsGiven.remove(partition);
              }
            });
    if (!left.isEmpty()) {
      throw new OffsetsException(
          left.size()
              + " of "
              + positions.size()
              + " offsets were not stored in group '"
              + groupId
              + "':",
          left);
    }
  }

  private static Map<TopicPartition, OffsetRange> join(Collection<OffsetRange> done) {
    List<OffsetRange> sorted = new ArrayList<>(done);
    sorted.sort(
        Comparator.comparingLong(OffsetRange::from)
            .thenComparingLong(range -> range.until().offset()));
    Map<TopicPartition, OffsetRange> joined = new LinkedHashMap<>();
    for (OffsetRange range : sorted) {
      joined.merge(
          range.partition(),
          range,
          (first, next) -> {
            if (first.until().offset() != next.from()) {
              throw new IllegalArgumentException(
                  "The ranges of "
                      + next.partition()
                      + " do not join: one ends at "
                      + first.until()
                      + ", the next starts at "
                      + next.from());
            }
            return new OffsetRange(next.partition(), first.from(), next.until());
          });
    }
    return joined;
  }

  private void check(Map<TopicPartition, OffsetRange> joined) {
    questions.begin();
    Answers<OffsetAndMetadata> commits = questions.committed(groupId, joined.keySet());
    if (!commits.failed().isEmpty()) {
      Map<TopicPartition, String> reasons = new HashMap<>();
      commits.failed().forEach((partition, failed) -> reasons.put(partition, failed.reason()));
      throw new OffsetsException("Nothing was stored:", reasons);
    }
    Map<TopicPartition, String> findings = new HashMap<>();
    joined.forEach(
        (partition, range) -> {
          String finding = finding(range, commits.found().get(partition));
          if (finding != null) {
            findings.put(partition, finding);
          }
        });
    if (findings.isEmpty()) {
      return;
    }
    OffsetsException exception =
        new OffsetsException(
            "Ranges do not start where group '"
                + groupId
                + "' is"
                + (ranges == RangePolicy.REFUSE ? "; nothing was stored:" : "; stored anyway:"),
            findings);
    if (ranges == RangePolicy.REFUSE) {
      throw exception;
    }
    LOG.warn(exception.getMessage());
  }

  private String finding(OffsetRange range, OffsetAndMetadata committed) {
    GivenStart given = startsGiven.get(range.partition());
    if (given != null && given.equals(new GivenStart(range.from(), offsetOf(committed)))) {
      return null;
    }
    if (committed == null || committed.offset() == range.from()) {
      return null;
    }
    long distance = range.from() - committed.offset();
    return (distance > 0 ? "a gap of " + distance : "an overlap of " + -distance)
        + " offsets: the range starts at "
        + range.from()
        + ", committed is "
        + committed.offset();
  }

  private static Long offsetOf(OffsetAndMetadata commit) {
    return commit == null ? null : (Long) commit.offset();
  }

  /**
   * How far the group is behind in each partition of the topics. A partition that cannot be asked
   * is unknown, not 0.
   *
   * @throws OffsetsException if a topic does not exist
   */
  public Map<TopicPartition, GroupLag> lag(String... topics) {
    List<TopicPartition> partitions = partitions(topics);
    questions.begin();
    Answers<OffsetAndMetadata> commits = questions.committed(groupId, partitions);
    Answers<LogBounds> bounds = questions.bounds(partitions, isolation);
    Map<TopicPartition, GroupLag> lags = new LinkedHashMap<>();
    for (TopicPartition partition : partitions) {
      lags.put(
          partition, lag(partition, commits.found().get(partition), bounds.found().get(partition)));
    }
    return lags;
  }

  private static GroupLag lag(TopicPartition partition, OffsetAndMetadata commit, LogBounds log) {
    Optional<Position> committed = Optional.ofNullable(commit).map(Position::of);
    if (log == null) {
      return new GroupLag(
          partition, committed, LagValue.unknown(), LagValue.unknown(), LagValue.unknown());
    }
    return new GroupLag(
        partition,
        committed,
        LagValue.of(log.readableEnd()),
        committed
            .map(at -> LagValue.of(log.readableEnd() - Math.max(at.offset(), log.start())))
            .orElse(LagValue.unknown()),
        committed.map(at -> LagValue.of(log.start() - at.offset())).orElse(LagValue.unknown()));
  }

  private List<TopicPartition> partitions(String... topics) {
    List<TopicPartition> partitions = new ArrayList<>();
    admin
        .describeTopics(
            Arrays.asList(topics), new DescribeTopicsOptions().timeoutMs((int) timeout.toMillis()))
        .topicNameValues()
        .forEach(
            (topic, description) -> {
              try {
                description
                    .get()
                    .partitions()
                    .forEach(info -> partitions.add(new TopicPartition(topic, info.partition())));
              } catch (InterruptedException e) {
                throw new InterruptException(e);
              } catch (ExecutionException e) {
                throw new OffsetsException(
                    e.getCause() instanceof UnknownTopicOrPartitionException
                        ? "Topic '" + topic + "' does not exist"
                        : "Topic '" + topic + "' cannot be read: " + e.getCause().getMessage(),
                    Map.of());
              }
            });
    partitions.sort(
        Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition));
    return partitions;
  }

  /** Closes the Admin client. */
  @Override
  public void close() {
    admin.close(timeout);
  }

  /** Settings of a group's offsets. */
  public static final class Builder {

    private final String groupId;
    private final Map<String, Object> properties = new HashMap<>();
    private String clientId = "korpse";
    private OffsetRule start = OffsetRule.committed(OffsetRule.earliest());
    private IsolationLevel isolation = IsolationLevel.READ_UNCOMMITTED;
    private DataLossPolicy onDataLoss = DataLossPolicy.FAIL;
    private RangePolicy ranges = RangePolicy.REFUSE;
    private Duration timeout = Duration.ofSeconds(30);
    private Clock clock = new SteadyClock(Clock.systemUTC());

    private Builder(String bootstrapServers, String groupId) {
      this.groupId = Objects.requireNonNull(groupId, "groupId");
      properties.put("bootstrap.servers", bootstrapServers.replace(" ", ""));
    }

    /** Names the client at the broker and in the metadata of commits; default {@code korpse}. */
    public Builder clientId(String clientId) {
      this.clientId = clientId;
      return this;
    }

    /** Where partitions start; default what is committed, else the log start. */
    public Builder start(OffsetRule start) {
      this.start = Objects.requireNonNull(start, "start");
      return this;
    }

    /** What the log end means; default {@code READ_UNCOMMITTED}. */
    public Builder isolation(IsolationLevel isolation) {
      this.isolation = Objects.requireNonNull(isolation, "isolation");
      return this;
    }

    /** What becomes of a start outside the log; default {@link DataLossPolicy#FAIL}. */
    public Builder onDataLoss(DataLossPolicy onDataLoss) {
      this.onDataLoss = Objects.requireNonNull(onDataLoss, "onDataLoss");
      return this;
    }

    /** What becomes of a gap or an overlap; default {@link RangePolicy#REFUSE}. */
    public Builder ranges(RangePolicy ranges) {
      this.ranges = Objects.requireNonNull(ranges, "ranges");
      return this;
    }

    /** How long one call may take; default 30 s. */
    public Builder timeout(Duration timeout) {
      this.timeout = Objects.requireNonNull(timeout, "timeout");
      return this;
    }

    /** A setting of the Admin client, for example of its security. */
    public Builder property(String key, Object value) {
      properties.put(key, value);
      return this;
    }

    /**
     * The time for limits, for {@link OffsetRule#before} and the metadata; default: a {@link
     * SteadyClock}.
     */
    public Builder clock(Clock clock) {
      this.clock = clock;
      return this;
    }

    private Admin admin() {
      properties.put("client.id", clientId);
      return Admin.create(properties);
    }

    /** Makes the Admin client. */
    public GroupOffsets build() {
      return new GroupOffsets(this);
    }
  }
}
