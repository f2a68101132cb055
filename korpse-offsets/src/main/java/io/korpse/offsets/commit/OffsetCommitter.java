package io.korpse.offsets.commit;

import io.korpse.offsets.Position;
import io.korpse.offsets.SteadyClock;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits positions to a consumer group from a thread of its own, with an Admin client of its own.
 *
 * <p>Any thread may submit and never waits. One request is in flight; while it is, newer positions
 * replace older ones. A failed commit is never thrown at anybody: it shows in {@link #status()}, in
 * one log line per change of state, and is tried again by its error code ({@link
 * io.korpse.offsets.ErrorTable}). The thread sleeps while nothing is due.
 */
public final class OffsetCommitter implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(OffsetCommitter.class);
  private static final Duration DEFAULT_CLOSE = Duration.ofSeconds(5);

  private final CommitSettings settings;
  private final CommitStatus status;
  private final Clock clock;
  private final Thread thread;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Guarded by the lock.
  private Map<TopicPartition, Position> submitted = new HashMap<>();
  private long submittedId = Long.MIN_VALUE;
  private Set<TopicPartition> removed = new HashSet<>();
  private boolean hurried;
  private boolean settled = true;
  private boolean hopeless;
  private boolean closing;
  private boolean isStepping;
  private final CommitTimeout commitTimeout;

  // Confined to the thread.
  private final CommitPlan plan;
  private final CommitStep step;

  OffsetCommitter(
      Supplier<GroupClient> clients,
      CommitSettings settings,
      CommitListener listener,
      Clock clock,
      String threadName) {
    this.settings = settings;
    this.clock = clock;
    this.status = new CommitStatus(clock);
    this.commitTimeout = new CommitTimeout(settings.requestTimeoutMillis());
    this.plan = new CommitPlan(settings, status, listener, clock.millis());
    this.step = new CommitStep(clients, settings, plan, status, clock);
    this.thread = new Thread(this::run, threadName);
    thread.setDaemon(true);
    thread.start();
  }

  /** Starts a builder; {@code admin} and {@code groupId} must be given. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Hands over positions that are durable. Any thread; never blocks. Positions of partitions that
   * are not in the map stay as they were submitted before.
   *
   * @param checkpointId goes into the metadata; an id below the newest is ignored; -1 when
   *     committing without checkpoints
   */
  public void submit(long checkpointId, Map<TopicPartition, Position> positions) {
    lock.lock();
    try {
      if (closing || (checkpointId >= 0 && checkpointId < submittedId)) {
        return;
      }
      submittedId = checkpointId;
      commitTimeout.submitted(checkpointId, clock.millis());
      submitted.putAll(positions);
      settled &= positions.isEmpty();
      hopeless = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Forgets partitions that left the reader; nothing is committed for them any more. Also for a
   * partition whose log was truncated or created again, before its lower position is submitted:
   * otherwise a position that goes back is left out.
   */
  public void remove(Collection<TopicPartition> partitions) {
    lock.lock();
    try {
      submitted.keySet().removeAll(partitions);
      removed.addAll(partitions);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until all that was submitted is in the group; tries at once what waits for a retry.
   *
   * @return false when the time is over, when the thread was interrupted (the flag stays set), or
   *     when all that is left belongs to topics that do not exist
   */
  public boolean flush(Duration timeout) {
    long left = timeout.toNanos();
    lock.lock();
    try {
      hurried = true;
      changed.signalAll();
      while (!settled && !hopeless) {
        if (left <= 0) {
          return false;
        }
        left = changed.awaitNanos(left);
      }
      return settled;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** A live view; any thread. */
  public CommitStatus status() {
    return status;
  }

  /** As {@link #close(Duration)} with 5 seconds. */
  @Override
  public void close() {
    close(DEFAULT_CLOSE);
  }

  /**
   * Commits what was submitted, if that works within the time, and ends the thread and the client.
   */
  public void close(Duration timeout) {
    long deadline = clock.millis() + timeout.toMillis();
    flush(timeout);
    lock.lock();
    try {
      closing = true;
      changed.signalAll();
      // Only a wait for an answer is cut short: an interrupt during the close of the client would
      // leave the client's own thread behind.
      if (isStepping) {
        thread.interrupt();
      }
    } finally {
      lock.unlock();
    }
    try {
      thread.join(Math.max(1_000, deadline - clock.millis()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (awaitWork()) {
        step.run(commitMillis());
      }
    } catch (InterruptedException e) {
      // Only close() interrupts.
    } catch (Throwable e) {
      LOG.error("The committer of group {} ended; nothing is committed", settings.groupId(), e);
      plan.health().died(e);
      throw e;
    } finally {
      leave();
      if (closing) {
        plan.health().closed();
      }
      step.close();
    }
  }

  private long commitMillis() {
    lock.lock();
    try {
      return commitTimeout.millis();
    } finally {
      lock.unlock();
    }
  }

  private void leave() {
    lock.lock();
    try {
      isStepping = false;
      hopeless = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Sleeps until something is due, takes what was submitted; false when closing. */
  private boolean awaitWork() throws InterruptedException {
    lock.lock();
    try {
      isStepping = false;
      while (true) {
        if (closing) {
          return false;
        }
        long now = clock.millis();
        boolean isNew = takeSubmitted(now);
        long due = plan.nextDue();
        settled = plan.isSettled();
        hopeless = !settled && !plan.canSettle();
        if (settled || hopeless) {
          changed.signalAll();
        }
        if (due <= now) {
          isStepping = true;
          return true;
        }
        if (!isNew) {
          if (due == Long.MAX_VALUE) {
            changed.await();
          } else {
            changed.await(due - now, TimeUnit.MILLISECONDS);
          }
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean takeSubmitted(long now) {
    boolean isNew = false;
    if (!removed.isEmpty()) {
      plan.remove(removed);
      removed = new HashSet<>();
      isNew = true;
    }
    if (!submitted.isEmpty()) {
      plan.submit(submittedId, submitted, now);
      submitted = new HashMap<>();
      isNew = true;
    }
    if (hurried) {
      plan.hurry(now);
      hurried = false;
      isNew = true;
    }
    return isNew;
  }

  /** Settings of a committer. */
  public static final class Builder {

    private static final int LONGEST_IDENTITY = 200;

    private Supplier<Admin> admin;
    private String groupId;
    private String identity = "unknown";
    private Clock clock = new SteadyClock(Clock.systemUTC());
    private Duration requestTimeout = Duration.ofSeconds(5);
    private Duration refreshInterval = Duration.ofHours(1);
    private Duration verifyInterval = Duration.ofMinutes(1);
    private Duration probeInterval = Duration.ofSeconds(30);
    private Duration firstBackoff = Duration.ofMillis(100);
    private Duration longestBackoff = Duration.ofSeconds(5);
    private DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();
    private String threadName = "korpse-committer";
    private CommitListener listener = new CommitListener() {};

    private Builder() {}

    /**
     * Makes the client, on the committer's thread and for the first commit; the committer closes
     * it. See {@link io.korpse.offsets.SharedAdmin} for one client with several users.
     */
    public Builder admin(Supplier<Admin> admin) {
      this.admin = admin;
      return this;
    }

    /** The consumer group. */
    public Builder groupId(String groupId) {
      this.groupId = groupId;
      return this;
    }

    /**
     * Who commits, for the metadata; cut after 200 characters. In the form {@code job/attempt},
     * where the same job keeps the first part in each attempt and its checkpoint ids grow, an
     * attempt that was frozen leaves alone what a later one has committed.
     */
    public Builder identity(String identity) {
      this.identity =
          identity.substring(0, Math.min(LONGEST_IDENTITY, identity.length())).replace(' ', '_');
      return this;
    }

    /** The time; default a {@link SteadyClock}. One that goes back makes waits longer. */
    public Builder clock(Clock clock) {
      this.clock = clock;
      return this;
    }

    /**
     * How long one request may take at most; default 5 s. A commit is given less when checkpoints
     * are closer than that: three quarters of what is seen to lie between them, and 500 ms at
     * least, so that the request of a frozen task is over before it can set the group back.
     */
    public Builder requestTimeout(Duration requestTimeout) {
      this.requestTimeout = requestTimeout;
      return this;
    }

    /**
     * After which time an unchanged position is committed again, so that the broker does not expire
     * it; default 1 h. Keep it below a quarter of {@code offsets.retention.minutes}.
     */
    public Builder refreshInterval(Duration refreshInterval) {
      this.refreshInterval = refreshInterval;
      return this;
    }

    /** How often the group is compared with what was committed; default 1 min. */
    public Builder verifyInterval(Duration verifyInterval) {
      this.verifyInterval = verifyInterval;
      return this;
    }

    /** How often to try what only a human can repair (rights, live members); default 30 s. */
    public Builder probeInterval(Duration probeInterval) {
      this.probeInterval = probeInterval;
      return this;
    }

    /** Waiting times after failures that pass; default 100 ms doubling to 5 s. */
    public Builder backoff(Duration first, Duration longest) {
      this.firstBackoff = first;
      this.longestBackoff = longest;
      return this;
    }

    /** Numbers from 0 to 1 for the jitter of waiting times. */
    public Builder random(DoubleSupplier random) {
      this.random = random;
      return this;
    }

    /** The thread's name; default {@code korpse-committer}. */
    public Builder threadName(String threadName) {
      this.threadName = threadName;
      return this;
    }

    /** Who is told of commits and changes of state. */
    public Builder listener(CommitListener listener) {
      this.listener = listener;
      return this;
    }

    /** Starts the thread. */
    public OffsetCommitter build() {
      Objects.requireNonNull(admin, "admin");
      String group = Objects.requireNonNull(groupId, "groupId");
      return build(() -> new AdminGroupClient(admin.get(), group));
    }

    OffsetCommitter build(Supplier<GroupClient> clients) {
      CommitSettings settings =
          new CommitSettings(
              groupId,
              identity,
              requestTimeout.toMillis(),
              refreshInterval.toMillis(),
              verifyInterval.toMillis(),
              probeInterval.toMillis(),
              new Backoff(firstBackoff, longestBackoff, random));
      return new OffsetCommitter(clients, settings, listener, clock, threadName);
    }
  }
}
