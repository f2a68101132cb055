package io.korpse.offsets.lag;

import io.korpse.offsets.SteadyClock;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the lags of a reader's partitions fresh, whether they flow, are paused or are idle.
 *
 * <p>A thread of its own makes two rounds per interval: it asks the brokers, in one request and
 * with an Admin client of its own, for the log ends that nobody observed within the interval. It
 * never waits for an answer, so a partition without a leader holds up nothing. All methods may be
 * called by any thread.
 */
public final class LagTracker implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(LagTracker.class);

  private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Supplier<EndOffsets> clients;
  private final Settings settings;
  private final Clock clock;
  private final Clock wallClock;
  private final Thread thread;
  private final Map<TopicPartition, PartitionLag> partitions = new ConcurrentHashMap<>();

  /** By topic, so that what is asked of one topic costs nothing for the others. */
  private final Map<String, Map<TopicPartition, PartitionLag>> topics = new ConcurrentHashMap<>();

  private final Collection<PartitionLag> view =
      Collections.unmodifiableCollection(partitions.values());

  private final LostRecords lost = new LostRecords();
  private volatile Runnable afterRound = () -> {};

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean isNew;
  private boolean closing;

  // Confined to the thread.
  private final LagQuestions questions;
  private final StaleLog staleLog = new StaleLog();
  private EndOffsets client;
  private boolean isFailing;

  /** What a tracker is built with; times in milliseconds. */
  record Settings(
      String groupId,
      IsolationLevel isolation,
      long intervalMillis,
      long slowIntervalMillis,
      long requestTimeoutMillis,
      long windowMillis,
      long commitLimitMillis) {

    /** The age of a log end from which it tells no lag: three questions have failed meanwhile. */
    long staleMillis() {
      return 3 * requestTimeoutMillis;
    }
  }

  LagTracker(
      Supplier<EndOffsets> clients,
      Settings settings,
      Clock clock,
      Clock wallClock,
      String threadName) {
    this.clients = clients;
    this.settings = settings;
    this.clock = clock;
    this.wallClock = wallClock;
    this.questions = new LagQuestions(settings);
    this.thread = new Thread(this::run, threadName);
    thread.setDaemon(true);
  }

  /** Starts a builder; {@code admin} must be given. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Starts to watch a partition; a second call replaces the first.
   *
   * @param position the next offset to emit, -1 when not known; called by any thread, must be cheap
   */
  public PartitionLag track(TopicPartition partition, LongSupplier position) {
    return track(partition, position, () -> Long.MAX_VALUE);
  }

  /**
   * As {@link #track(TopicPartition, LongSupplier)}, of which not all is wanted.
   *
   * @param wantedUntil the offset from which on it is no loss when retention removes records: where
   *     the reader stops, or 0 as long as its start follows the log start; called by any thread,
   *     must be cheap
   */
  public PartitionLag track(
      TopicPartition partition, LongSupplier position, LongSupplier wantedUntil) {
    PartitionLag lag =
        new PartitionLag(
            partition,
            position,
            wantedUntil,
            settings.isolation(),
            settings.staleMillis(),
            new LagWindow(settings.windowMillis(), settings.commitLimitMillis()),
            clock,
            wallClock);
    retire(partitions.put(partition, lag));
    topics.compute(
        partition.topic(),
        (topic, lags) -> {
          Map<TopicPartition, PartitionLag> with = lags == null ? new ConcurrentHashMap<>() : lags;
          with.put(partition, lag);
          return with;
        });
    lock.lock();
    try {
      isNew = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    return lag;
  }

  /** Stops watching a partition. */
  public void untrack(TopicPartition partition) {
    retire(partitions.remove(partition));
    topics.computeIfPresent(
        partition.topic(),
        (topic, lags) -> {
          lags.remove(partition);
          return lags.isEmpty() ? null : lags;
        });
  }

  private void retire(PartitionLag lag) {
    if (lag != null) {
      lost.add(lag.partition().topic(), lag.recordsSkipped());
    }
  }

  /**
   * What is to be done after each round, on the tracker's thread; replaces what was given before.
   * It must not block.
   */
  public void afterRound(Runnable task) {
    afterRound = task;
  }

  /** What is watched; a live view. */
  public Collection<PartitionLag> partitions() {
    return view;
  }

  /** All that is watched, in one number each. */
  public LagTotal total() {
    return new LagTotal(() -> view, lost::total);
  }

  /** What is watched of one topic, in one number each. */
  public LagTotal total(String topic) {
    return new LagTotal(() -> topics.getOrDefault(topic, Map.of()).values(), () -> lost.of(topic));
  }

  /** What the log end means here. */
  public IsolationLevel isolation() {
    return settings.isolation();
  }

  /** Ends the thread and the client. */
  @Override
  public void close() {
    lock.lock();
    try {
      closing = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    try {
      thread.join(TimeUnit.SECONDS.toMillis(10));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (awaitRound()) {
        round();
      }
    } catch (InterruptedException e) {
      LOG.debug("The lag tracker was interrupted");
    } finally {
      closeClient();
    }
  }

  private void closeClient() {
    if (client != null) {
      try {
        client.close();
      } catch (RuntimeException e) {
        LOG.warn("The Admin client of the lag tracker did not close", e);
      }
    }
  }

  private boolean awaitRound() throws InterruptedException {
    lock.lock();
    try {
      long left = TimeUnit.MILLISECONDS.toNanos(Math.max(1, settings.intervalMillis() / 2));
      while (!closing && !isNew && (left > 0 || partitions.isEmpty())) {
        if (partitions.isEmpty()) {
          changed.await();
        } else {
          left = changed.awaitNanos(left);
        }
      }
      // New partitions come in groups: one request for all of them, a moment later.
      long settle = isNew ? SETTLE_NANOS : 0;
      while (!closing && settle > 0) {
        settle = changed.awaitNanos(settle);
      }
      isNew = false;
      return !closing;
    } finally {
      lock.unlock();
    }
  }

  /** Asks for what is stale and takes a sample of each partition. */
  void round() {
    long now = clock.millis();
    try {
      if (client == null) {
        client = clients.get();
      }
      questions.ask(client, view, now);
      if (isFailing) {
        isFailing = false;
        LOG.info("The lag is observed again");
      }
    } catch (RuntimeException e) {
      if (!isFailing) {
        isFailing = true;
        LOG.warn("The lag cannot be observed; its age grows until it can", e);
      }
    }
    for (PartitionLag lag : partitions.values()) {
      lag.sample(now);
    }
    staleLog.update(view);
    try {
      afterRound.run();
    } catch (RuntimeException e) {
      LOG.warn("What follows a round of the lag tracker failed", e);
    }
  }

  /** Settings of a tracker. */
  public static final class Builder {

    private Supplier<Admin> admin;
    private String groupId;
    private IsolationLevel isolation = IsolationLevel.READ_UNCOMMITTED;
    private Duration interval = Duration.ofSeconds(1);
    private Duration window = Duration.ofMinutes(1);
    private Duration expectedCommitInterval;
    private Clock clock = new SteadyClock(Clock.systemUTC());
    private Clock wallClock = Clock.systemUTC();
    private String threadName = "korpse-lag";

    private Builder() {}

    /**
     * Makes the client, on the tracker's thread; the tracker closes it. See {@link
     * io.korpse.offsets.SharedAdmin} for one client with several users.
     */
    public Builder admin(Supplier<Admin> admin) {
      this.admin = admin;
      return this;
    }

    /**
     * The group whose commits are looked up once for each partition, so that its committed offset
     * is known before the first commit. Default: none.
     */
    public Builder groupId(String groupId) {
      this.groupId = groupId;
      return this;
    }

    /** What the log end means: the last stable offset when reading committed. */
    public Builder isolation(IsolationLevel isolation) {
      this.isolation = isolation;
      return this;
    }

    /**
     * The age from which a log end is asked for, half of it while the end moves; default 1 s. A
     * round is made each half of it.
     */
    public Builder interval(Duration interval) {
      this.interval = interval;
      return this;
    }

    /** The time over which a status is judged; default 1 min. */
    public Builder window(Duration window) {
      this.window = window;
      return this;
    }

    /**
     * How often commits are expected, for example the checkpoint interval; work that is uncommitted
     * for three times as long is {@link LagStatus#NOT_COMMITTING}. Default: learned from the
     * commits that are observed, and ten windows until there was one that covered work. Without a
     * {@link #groupId} and a commit, none is expected.
     */
    public Builder expectedCommitInterval(Duration expectedCommitInterval) {
      this.expectedCommitInterval = expectedCommitInterval;
      return this;
    }

    /**
     * The time for waits and ages, of which {@link PartitionLag#observeEnd} is told; must not go
     * back. Default: a {@link SteadyClock}.
     */
    public Builder clock(Clock clock) {
      this.clock = clock;
      return this;
    }

    /** The time that timestamps of records are compared with; default: the system's. */
    public Builder wallClock(Clock wallClock) {
      this.wallClock = wallClock;
      return this;
    }

    /** The thread's name; default {@code korpse-lag}. */
    public Builder threadName(String threadName) {
      this.threadName = threadName;
      return this;
    }

    /** Starts the thread. */
    public LagTracker build() {
      Objects.requireNonNull(admin, "admin");
      return start(() -> new AdminEndOffsets(admin.get()));
    }

    LagTracker start(Supplier<EndOffsets> clients) {
      LagTracker tracker = build(clients);
      tracker.thread.start();
      return tracker;
    }

    /** A tracker without a running thread. */
    LagTracker build(Supplier<EndOffsets> clients) {
      long millis = interval.toMillis();
      return new LagTracker(
          clients,
          new Settings(
              groupId,
              isolation,
              millis,
              10 * millis,
              Math.max(5_000, 3 * millis),
              window.toMillis(),
              expectedCommitInterval == null
                  ? groupId == null ? LagWindow.LEARN_FROM_FIRST : LagWindow.LEARN
                  : 3 * expectedCommitInterval.toMillis()),
          clock,
          wallClock,
          threadName);
    }
  }
}
