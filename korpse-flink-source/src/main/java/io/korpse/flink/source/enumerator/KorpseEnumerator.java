package io.korpse.flink.source.enumerator;

import io.korpse.flink.source.SourceSettings;
import io.korpse.flink.source.enumerator.event.NothingToReadEvent;
import io.korpse.flink.source.enumerator.event.SplitsFinishedEvent;
import io.korpse.flink.source.enumerator.event.SplitsRemovedEvent;
import io.korpse.flink.source.enumerator.event.SplitsResolvedEvent;
import io.korpse.flink.source.enumerator.event.SplitsRestoredEvent;
import io.korpse.flink.source.enumerator.event.TopicSuspectedEvent;
import io.korpse.flink.source.split.KorpseSplit;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import javax.annotation.Nullable;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.api.connector.source.SupportsHandleExecutionAttemptSourceEvent;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds partitions, turns their start and stop into numbers, and gives them to readers.
 *
 * <p>Everything runs on the coordinator thread; only what asks Kafka runs on the worker thread, one
 * call at a time, and touches none of the state.
 */
public final class KorpseEnumerator
    implements SplitEnumerator<KorpseSplit, EnumeratorState>,
        SupportsHandleExecutionAttemptSourceEvent {

  // One step function, advance(), is called after whatever happened and once a second: it starts
  // the next call to Kafka that is due, gives away what can be given, and tells readers that there
  // is no more. Nothing depends on which event came last, so a restore, a reader that registers
  // late and a discovery that found nothing all end the same way.

  private static final Logger LOG = LoggerFactory.getLogger(KorpseEnumerator.class);
  private static final long TICK_MILLIS = 1_000;

  private final SplitEnumeratorContext<KorpseSplit> context;
  private final SourceSettings settings;
  private final Subscription subscription;
  private final OffsetRules rules;
  private final Cluster cluster;
  private final Clock clock;
  private final boolean bounded;
  private final PartitionBook partitions;
  private final ReaderBook readers;
  private final ReaderAttempts attempts;
  private final DiscoverySchedule schedule;
  private final EnumeratorMetrics metrics;
  private final RemovalPolicies removal;
  private final OffsetQuestions questions;
  private final ReaderReports reports;
  private boolean applied;
  private boolean calling;
  private boolean closed;

  /**
   * An enumerator that asks the cluster of the settings; {@code state} is null without a restore.
   */
  public static KorpseEnumerator create(
      SplitEnumeratorContext<KorpseSplit> context,
      SourceSettings settings,
      Subscription subscription,
      OffsetRules rules,
      @Nullable EnumeratorState state,
      Clock clock) {
    // Flink creates enumerators with the user's class loader; the worker thread has another.
    ClassLoader userCode = Thread.currentThread().getContextClassLoader();
    Cluster cluster = new KafkaCluster(settings, subscription, userCode, clock);
    return new KorpseEnumerator(context, settings, subscription, rules, state, cluster, clock);
  }

  KorpseEnumerator(
      SplitEnumeratorContext<KorpseSplit> context,
      SourceSettings settings,
      Subscription subscription,
      OffsetRules rules,
      @Nullable EnumeratorState state,
      Cluster cluster,
      Clock clock) {
    this.context = context;
    this.settings = settings;
    this.subscription = subscription;
    this.rules = rules;
    this.cluster = cluster;
    this.clock = clock;
    boolean restored = state != null;
    bounded = settings.boundedness() == Boundedness.BOUNDED;
    partitions = new PartitionBook(restored ? state : EnumeratorState.empty(), bounded);
    readers = new ReaderBook(restored);
    attempts = new ReaderAttempts(context);
    questions = new OffsetQuestions(partitions, rules, settings.offsetsTimeout());
    schedule =
        new DiscoverySchedule(settings.lookInterval(), settings.toleratedDiscoveryFailures());
    removal = new RemovalPolicies(settings, subscription);
    reports = new ReaderReports(partitions, readers, attempts, questions, removal);
    metrics =
        new EnumeratorMetrics(
            context.metricGroup(),
            () -> partitions.ready().size(),
            partitions::givenCount,
            () -> partitions.waiting().size());
  }

  @Override
  public void start() {
    LOG.info(
        "Reading {} of {} from {}, {}",
        subscription.describe(),
        settings.bootstrapServers(),
        rules.initial(),
        settings
            .discoveryInterval()
            .map(time -> "looking for new partitions every " + time.toMillis() + " ms")
            .orElse("without looking for new partitions"));
    // Readers keep these back until they are told, so there is no need to look for them first.
    remove(removal.unsubscribed(partitions.known()), Map.of(), Discovered.NOTHING);
    if (partitions.isComplete()) {
      schedule.found(clock.millis());
      applied = true;
    }
    context.callAsync(() -> true, (ignored, error) -> advance(), TICK_MILLIS, TICK_MILLIS);
    advance();
  }

  @Override
  public void addReader(int reader) {
    // Of several attempts at once the next one is given by Flink what those before it were.
    if (!attempts.areConcurrent()) {
      readers.registered(reader);
      questions.forget(reader);
    }
  }

  @Override
  public void handleSourceEvent(int reader, SourceEvent event) {
    if (!context.registeredReaders().containsKey(reader)) {
      // Sent by an attempt that has failed since; its successor reports for itself.
      return;
    }
    forgetFailedReaders();
    if (event instanceof SplitsRestoredEvent restored) {
      reports.restored(reader, restored.splits());
    } else if (event instanceof SplitsFinishedEvent finished) {
      readers.finished(reader, finished.partitions());
    } else if (event instanceof TopicSuspectedEvent) {
      if (!schedule.rechecks()) {
        schedule.soon();
      }
    } else {
      throw new IllegalArgumentException("A reader sent " + event + ", which nobody knows");
    }
    advance();
  }

  /**
   * Flink calls this instead of the other when a subtask may have several attempts at once, as in
   * batch jobs with speculative execution. They have nothing restored, and what one of them has
   * finished the others still read.
   */
  @Override
  public void handleSourceEvent(int reader, int attempt, SourceEvent event) {
    attempts.concurrent();
    if (!attempts.isRegistered(reader, attempt)) {
      return;
    }
    forgetFailedReaders();
    if (event instanceof SplitsRestoredEvent) {
      reports.joined(reader);
      advance();
    } else if (event instanceof SplitsFinishedEvent finished) {
      reports.finishedByAttempt(reader, finished.partitions());
      advance();
    } else {
      handleSourceEvent(reader, event);
    }
  }

  /** Does nothing: splits are given to readers without being asked for. */
  @Override
  public void handleSplitRequest(int reader, @Nullable String host) {}

  @Override
  public void addSplitsBack(List<KorpseSplit> splits, int reader) {
    readers.registered(reader);
    readers.returned(reader, partitions.takeBack(splits));
    advance();
  }

  @Override
  public EnumeratorState snapshotState(long checkpointId) {
    return partitions.snapshot();
  }

  @Override
  public void close() {
    closed = true;
    cluster.close();
  }

  private void advance() {
    if (closed) {
      return;
    }
    long now = clock.millis();
    forgetFailedReaders();
    settleLeaving();
    if (!calling) {
      if (schedule.due(now)) {
        Set<TopicPartition> known = partitions.known();
        call(() -> Look.take(cluster, removal, known, clock), this::discovered);
      } else if (applied) {
        List<OffsetQuestion> due = questions.due(now);
        if (!due.isEmpty()) {
          call(() -> OffsetAnswers.find(cluster, due), this::answered);
        }
      }
    }
    giveAway();
    boolean settled = isSettled();
    if (settled && settings.discoveryInterval().isEmpty()) {
      tellNoMore();
    }
    if (settled) {
      NothingToReadEvent event = new NothingToReadEvent();
      readers.newlyIdle().forEach(reader -> attempts.send(reader, event));
    }
  }

  /**
   * Flink forgets a reader as soon as it fails and tells us only when it resets it. What is sent to
   * it meanwhile fails the whole job.
   */
  private void forgetFailedReaders() {
    readers.retain(context.registeredReaders().keySet());
  }

  private <T> void call(Callable<T> work, BiConsumer<T, Throwable> then) {
    calling = true;
    context.callAsync(
        work,
        (result, error) -> {
          calling = false;
          if (!closed) {
            forgetFailedReaders();
            then.accept(result, error);
            advance();
          }
        });
  }

  private void discovered(@Nullable Look look, @Nullable Throwable error) {
    long now = clock.millis();
    if (error != null) {
      metrics.discoveryFailed();
      if (!schedule.failed(now) && !findsNoMore()) {
        throw removal.undiscovered(schedule.failures(), error);
      }
      LOG.warn(
          "Discovery {} in a row failed, {} are tolerated; reading goes on: {}",
          schedule.failures(),
          settings.toleratedDiscoveryFailures(),
          error.toString());
      LOG.debug("The failure of the discovery", error);
      return;
    }
    metrics.discovered(look.millis());
    apply(look.found(), now);
  }

  private void apply(Discovered found, long now) {
    PartitionBook.Changes changes = partitions.compare(found);
    Set<TopicPartition> gone = new HashSet<>(changes.gone());
    Map<TopicPartition, Uuid> recreated = new HashMap<>(changes.recreated());
    if (findsNoMore()) {
      // What is read through may go; and without discovery nobody leaves a subscription.
      gone.retainAll(removal.lost(gone, found));
      gone.removeIf(partition -> !isOpen(partition));
      recreated.keySet().removeIf(partition -> !isOpen(partition));
    }
    Set<String> missing = new HashSet<>(applied ? Set.of() : found.missing());
    gone.forEach(partition -> missing.add(partition.toString()));
    recreated.forEach((partition, id) -> missing.add(partition + " " + id));
    Set<String> certain = schedule.succeeded(missing, now);

    if (!applied) {
      Set<String> names = new TreeSet<>(found.missing());
      names.retainAll(certain);
      names.removeIf(name -> partitions.isDiscovered() && removal.goesOn());
      if (!names.isEmpty()) {
        throw removal.missing(names);
      }
    }
    Set<TopicPartition> left = new HashSet<>();
    gone.stream().filter(partition -> certain.contains(partition.toString())).forEach(left::add);
    recreated.entrySet().removeIf(e -> !certain.contains(e.getKey() + " " + e.getValue()));
    remove(left, recreated, found);

    // What is there is read at once, unless something of the first look is looked for again: a
    // bounded source must not be complete without it.
    Map<TopicPartition, Uuid> added = findsNoMore() ? Map.of() : changes.added();
    partitions.add(added);
    if (!added.isEmpty()) {
      LOG.info("Found {} new partitions: {}", added.size(), Discovered.some(added.keySet()));
      questions.soon(now);
    }
    if (!schedule.rechecks()) {
      partitions.discovered(bounded);
      applied = true;
    }
  }

  /** Whether looks are for topics that are gone only: readers were told that there is no more. */
  private boolean findsNoMore() {
    return partitions.isComplete() || (applied && settings.discoveryInterval().isEmpty());
  }

  private boolean isOpen(TopicPartition partition) {
    return partitions.isToCome(partition) || readers.isOwned(partition);
  }

  private void remove(
      Set<TopicPartition> gone, Map<TopicPartition, Uuid> recreated, Discovered found) {
    if (gone.isEmpty() && recreated.isEmpty()) {
      return;
    }
    removal.failIfAsked(gone, recreated.keySet(), found);
    List<TopicPartition> leaving = new ArrayList<>();
    for (TopicPartition partition : gone) {
      if (partitions.remove(partition)) {
        leaving.add(partition);
      }
    }
    Map<TopicPartition, Uuid> unread = new HashMap<>();
    recreated.forEach(
        (partition, id) -> {
          questions.recreated(partition);
          if (partitions.remove(partition)) {
            leaving.add(partition);
          } else if (!found.kept().containsKey(partition)) {
            unread.put(partition, id);
          }
        });
    partitions.add(unread);
    metrics.removed(gone.size() + recreated.size());
    LOG.warn("No longer there or subscribed to: {}; created again: {}", gone, recreated.keySet());
    if (!leaving.isEmpty()) {
      SplitsRemovedEvent event = new SplitsRemovedEvent(leaving, "gone or created again");
      readers.present().forEach(reader -> attempts.send(reader, event));
    }
  }

  /**
   * Partitions that no reader has any more may come again, as those of a new topic. Attempts that
   * were through with one before do not say that they have let go of it, and where nothing comes
   * again nobody has to wait for that.
   */
  private void settleLeaving() {
    boolean atOnce = attempts.areConcurrent() && findsNoMore();
    List<TopicPartition> left = new ArrayList<>();
    for (TopicPartition partition : partitions.leaving()) {
      if (atOnce || !readers.mayBeOwned(partition, context.currentParallelism())) {
        left.add(partition);
      }
    }
    if (!left.isEmpty()) {
      left.forEach(partitions::left);
      schedule.soon();
    }
  }

  private void answered(@Nullable OffsetAnswers answers, @Nullable Throwable error) {
    if (error != null) {
      throw new FlinkRuntimeException(
          "The offsets of " + subscription.describe() + " could not be found", error);
    }
    questions
        .answered(answers, clock.millis())
        .forEach(
            (reader, splits) -> {
              if (readers.present().contains(reader)) {
                attempts.send(reader, new SplitsResolvedEvent(splits));
              }
            });
  }

  private void giveAway() {
    List<KorpseSplit> ready =
        partitions.ready().stream().filter(split -> split.unresolved().isEmpty()).toList();
    Map<Integer, List<KorpseSplit>> assignment = readers.plan(ready, context.currentParallelism());
    if (!assignment.isEmpty()) {
      assignment.forEach(
          (reader, splits) ->
              splits.forEach(
                  split -> {
                    partitions.give(split);
                    readers.given(reader, split);
                  }));
      context.assignSplits(new SplitsAssignment<>(assignment));
    }
  }

  /** Whether all that is known has a reader, and nothing is being asked. */
  private boolean isSettled() {
    return applied
        && !calling
        && partitions.waiting().isEmpty()
        && partitions.leaving().isEmpty()
        && readers.plannedAll(partitions.ready());
  }

  /** Once per reader attempt, when nothing can come any more. */
  private void tellNoMore() {
    for (int reader : readers.untold()) {
      if (!readers.awaits(reader)) {
        readers.told(reader);
        context.signalNoMoreSplits(reader);
      }
    }
  }
}
