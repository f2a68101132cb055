package io.korpse.offsets;

import io.korpse.offsets.BrokerOffsets.Found;
import io.korpse.offsets.Resolution.Unresolved;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;

/**
 * Asks the brokers within a time limit and waits for the answers, partition by partition. Confined
 * to the thread that resolves.
 */
final class BrokerQuestions {

  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_GRACE = Duration.ofSeconds(2);

  private final BrokerOffsets broker;
  private final Duration timeout;
  private final Clock clock;

  private long deadline;

  BrokerQuestions(BrokerOffsets broker, Duration timeout, Clock clock) {
    this.broker = broker;
    this.timeout = timeout;
    this.clock = clock;
  }

  /** Starts the time limit. */
  void begin() {
    deadline = clock.millis() + timeout.toMillis();
  }

  Answers<Found> list(
      Collection<TopicPartition> partitions, OffsetSpec spec, IsolationLevel isolation) {
    Map<TopicPartition, OffsetSpec> specs = new LinkedHashMap<>();
    partitions.forEach(partition -> specs.put(partition, spec));
    return list(specs, isolation);
  }

  Answers<Found> list(Map<TopicPartition, OffsetSpec> specs, IsolationLevel isolation) {
    return collect(send(specs, isolation));
  }

  private Map<TopicPartition, CompletableFuture<Found>> send(
      Map<TopicPartition, OffsetSpec> specs, IsolationLevel isolation) {
    return broker.list(specs, isolation, remaining());
  }

  /** Log start and ends in one go. */
  Answers<LogBounds> bounds(Collection<TopicPartition> partitions, IsolationLevel isolation) {
    Map<TopicPartition, OffsetSpec> earliest = new LinkedHashMap<>();
    Map<TopicPartition, OffsetSpec> latest = new LinkedHashMap<>();
    for (TopicPartition partition : partitions) {
      earliest.put(partition, OffsetSpec.earliest());
      latest.put(partition, OffsetSpec.latest());
    }
    Map<TopicPartition, CompletableFuture<Found>> starts =
        send(earliest, IsolationLevel.READ_UNCOMMITTED);
    Map<TopicPartition, CompletableFuture<Found>> ends =
        send(latest, IsolationLevel.READ_UNCOMMITTED);
    Map<TopicPartition, CompletableFuture<Found>> readable =
        isolation == IsolationLevel.READ_UNCOMMITTED ? ends : send(latest, isolation);
    Map<TopicPartition, CompletableFuture<LogBounds>> bounds = new LinkedHashMap<>();
    for (TopicPartition partition : partitions) {
      bounds.put(
          partition,
          starts
              .get(partition)
              .thenCombine(
                  ends.get(partition),
                  (start, end) ->
                      new LogBounds(start.offset(), end.offset(), end.offset(), end.leaderEpoch()))
              .thenCombine(
                  readable.get(partition),
                  (log, end) ->
                      new LogBounds(log.start(), log.end(), end.offset(), log.leaderEpoch())));
    }
    return collect(bounds);
  }

  /**
   * What the group has committed. Partitions that are missing from an answer (an open transaction
   * over the commit, an error) are asked again until the time limit: they are never "no commit".
   */
  Answers<OffsetAndMetadata> committed(String groupId, Collection<TopicPartition> partitions) {
    Answers<OffsetAndMetadata> answers = Answers.empty();
    Set<TopicPartition> open = new LinkedHashSet<>(partitions);
    Throwable last = null;
    long pause = PAUSE.toMillis();
    long graceEnd = Long.MAX_VALUE;
    while (!open.isEmpty()) {
      try {
        Map<TopicPartition, OffsetAndMetadata> commits =
            broker
                .committed(groupId, open, remaining())
                .get(remaining().toMillis(), TimeUnit.MILLISECONDS);
        last = null;
        for (TopicPartition partition : Set.copyOf(open)) {
          if (commits.containsKey(partition)) {
            answers.found().put(partition, commits.get(partition));
            open.remove(partition);
          }
        }
      } catch (InterruptedException e) {
        throw new InterruptException(e);
      } catch (ExecutionException | TimeoutException e) {
        last = ErrorTable.cause(e);
        ErrorAction action = ErrorTable.action(last);
        if (action == ErrorAction.NOTHING_THERE) {
          open.forEach(partition -> answers.found().put(partition, null));
          open.clear();
        } else if (!isRetriable(action)) {
          break;
        }
      }
      if (!answers.found().isEmpty() && graceEnd == Long.MAX_VALUE) {
        graceEnd = clock.millis() + grace();
      }
      if (open.isEmpty() || clock.millis() >= graceEnd || !pause(pause)) {
        break;
      }
      pause = Math.min(LONGEST_PAUSE.toMillis(), pause * 2);
    }
    Map<TopicPartition, String> findings =
        open.isEmpty() || last != null ? Map.of() : diagnose(open);
    for (TopicPartition partition : open) {
      answers
          .failed()
          .put(partition, uncommitted(groupId, partition, last, findings.get(partition)));
    }
    return answers;
  }

  private static Unresolved uncommitted(
      String groupId, TopicPartition partition, Throwable failure, String finding) {
    String subject = "The offset that group '" + groupId + "' committed for " + partition;
    if (failure == null) {
      return new Unresolved(
          partition,
          true,
          subject
              + " cannot be told yet: "
              + (finding == null
                  ? "a transaction over it is open, or the right to describe the topic is missing"
                  : finding),
          null);
    }
    ErrorAction action = ErrorTable.action(failure);
    String remedy =
        action == ErrorAction.SUSPEND_GROUP
            ? ". The client needs the right DESCRIBE on the group, and READ to commit"
            : "";
    return new Unresolved(
        partition,
        isRetriable(action),
        subject + " could not be read: " + describe(failure) + remedy,
        failure);
  }

  /** Waits a moment; false when the time limit does not allow it. */
  boolean pause() {
    return pause(PAUSE.toMillis());
  }

  private boolean pause(long millis) {
    if (clock.millis() + millis >= deadline) {
      return false;
    }
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
    return true;
  }

  /** Waits for all; from the first answer on only for the grace, for a partition without leader. */
  private <T> Answers<T> collect(Map<TopicPartition, CompletableFuture<T>> futures) {
    if (futures.isEmpty()) {
      // The first of no answers never comes.
      return Answers.empty();
    }
    CompletableFuture<?>[] all = futures.values().toArray(new CompletableFuture<?>[0]);
    try {
      CompletableFuture.anyOf(all).get(remaining().toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException | TimeoutException e) {
      // Sorted out below, for each partition.
    }
    try {
      CompletableFuture.allOf(all)
          .get(Math.min(grace(), remaining().toMillis()), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException | TimeoutException e) {
      // Sorted out below, for each partition.
    }
    Answers<T> answers = Answers.empty();
    Map<TopicPartition, Throwable> failures = new HashMap<>();
    futures.forEach(
        (partition, future) -> {
          if (!future.isDone()) {
            failures.put(partition, new TimeoutException("no answer in time"));
          } else if (future.isCompletedExceptionally()) {
            failures.put(partition, failure(future));
          } else {
            answers.found().put(partition, future.join());
          }
        });
    if (!failures.isEmpty()) {
      unanswered(failures, answers.failed());
    }
    return answers;
  }

  private void unanswered(
      Map<TopicPartition, Throwable> failures, Map<TopicPartition, Unresolved> failed) {
    Map<TopicPartition, String> findings = diagnose(failures.keySet());
    for (Map.Entry<TopicPartition, Throwable> failure : failures.entrySet()) {
      TopicPartition partition = failure.getKey();
      ErrorAction action = ErrorTable.action(failure.getValue());
      String finding = findings.get(partition);
      String remedy =
          action == ErrorAction.SUSPEND_PARTITION
              ? ". The client needs the right DESCRIBE on the topic"
              : "";
      failed.put(
          partition,
          new Unresolved(
              partition,
              isRetriable(action) || action == ErrorAction.ISOLATE,
              "The offsets of "
                  + partition
                  + " could not be read: "
                  + (finding == null ? describe(failure.getValue()) : finding)
                  + remedy,
              failure.getValue()));
    }
  }

  /** What a look at the topics says; it only makes a message better. */
  private Map<TopicPartition, String> diagnose(Collection<TopicPartition> partitions) {
    try {
      return broker
          .diagnose(partitions, LONGEST_PAUSE)
          .get(LONGEST_PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException | TimeoutException e) {
      return Map.of();
    }
  }

  private static Throwable failure(CompletableFuture<?> future) {
    try {
      future.join();
      throw new IllegalStateException("The future has not failed");
    } catch (java.util.concurrent.CompletionException e) {
      return ErrorTable.cause(e);
    }
  }

  private static boolean isRetriable(ErrorAction action) {
    return action == ErrorAction.RETRY
        || action == ErrorAction.REDISCOVER
        || action == ErrorAction.HALVE_BATCH;
  }

  private static String describe(Throwable failure) {
    return failure.getMessage() == null
        ? failure.getClass().getSimpleName()
        : failure.getClass().getSimpleName() + ": " + failure.getMessage();
  }

  private long grace() {
    return Math.min(LONGEST_GRACE.toMillis(), timeout.toMillis() / 5);
  }

  private Duration remaining() {
    return Duration.ofMillis(Math.max(1, deadline - clock.millis()));
  }
}
