package io.korpse.flink.source.enumerator;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.flink.source.testing.NamedMetrics;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;
import org.apache.flink.runtime.metrics.groups.InternalSplitEnumeratorMetricGroup;

/**
 * A coordinator in one thread: calls run when the test says so. It checks what Flink expects of an
 * enumerator: splits go to registered readers only, and never after they were told that there are
 * no more, which is told once per attempt.
 */
final class FakeContext implements SplitEnumeratorContext<KorpseSplit> {

  final NamedMetrics metrics = new NamedMetrics();
  private final int parallelism;
  private final Map<Integer, ReaderInfo> readers = new HashMap<>();
  private final Map<Integer, List<KorpseSplit>> assigned = new TreeMap<>();
  private final Map<Integer, List<SourceEvent>> events = new TreeMap<>();
  private final Map<Integer, List<Object>> sent = new TreeMap<>();
  private final Map<Integer, Map<Integer, ReaderInfo>> attempts = new TreeMap<>();
  private final Map<Integer, Integer> told = new TreeMap<>();
  private final Queue<Runnable> calls = new ArrayDeque<>();
  private final List<Runnable> periodic = new ArrayList<>();
  private long period = Long.MAX_VALUE;

  FakeContext(int parallelism) {
    this.parallelism = parallelism;
  }

  /** Runs calls until there are none left. */
  void run() {
    for (Runnable call = calls.poll(); call != null; call = calls.poll()) {
      call.run();
    }
  }

  /** Time from one tick to the next, in milliseconds. */
  long period() {
    return period;
  }

  void tick() {
    periodic.forEach(Runnable::run);
    run();
  }

  void register(int reader) {
    readers.put(reader, new ReaderInfo(reader, "host"));
    told.remove(reader);
  }

  /** Another attempt, where there may be several at once; returns whether it is the only one. */
  boolean register(int reader, int attempt) {
    boolean only = !attempts.containsKey(reader);
    ReaderInfo info = new ReaderInfo(reader, "host");
    attempts.computeIfAbsent(reader, ignored -> new TreeMap<>()).put(attempt, info);
    readers.put(reader, info);
    return only;
  }

  /** An attempt has failed. */
  void unregister(int reader, int attempt) {
    Map<Integer, ReaderInfo> left = attempts.get(reader);
    left.remove(attempt);
    if (left.isEmpty()) {
      attempts.remove(reader);
      readers.remove(reader);
    }
  }

  /** All attempts have failed, and their splits go back. */
  void reset(int reader) {
    attempts.remove(reader);
    told.remove(reader);
    unregister(reader);
  }

  void unregister(int reader) {
    readers.remove(reader);
    assigned.remove(reader);
    sent.remove(reader);
  }

  List<KorpseSplit> assigned(int reader) {
    return assigned.getOrDefault(reader, List.of());
  }

  List<KorpseSplit> allAssigned() {
    return assigned.values().stream().flatMap(List::stream).toList();
  }

  List<SourceEvent> events(int reader, int attempt) {
    return events(100 * attempt + reader);
  }

  List<SourceEvent> events(int reader) {
    return events.getOrDefault(reader, List.of());
  }

  /** Splits and events in the order in which they were sent. */
  List<Object> sent(int reader) {
    return sent.getOrDefault(reader, List.of());
  }

  boolean isTold(int reader) {
    return told.containsKey(reader);
  }

  @Override
  public SplitEnumeratorMetricGroup metricGroup() {
    return new InternalSplitEnumeratorMetricGroup(metrics);
  }

  @Override
  public void sendEventToSourceReader(int reader, SourceEvent event) {
    requireRegistered(reader);
    if (!attempts.isEmpty()) {
      throw new AssertionError("Which attempt of reader " + reader + "?");
    }
    events.computeIfAbsent(reader, ignored -> new ArrayList<>()).add(event);
    sent.computeIfAbsent(reader, ignored -> new ArrayList<>()).add(event);
  }

  @Override
  public void sendEventToSourceReader(int reader, int attempt, SourceEvent event) {
    if (!attempts.get(reader).containsKey(attempt)) {
      throw new AssertionError("Reader " + reader + " has no attempt " + attempt);
    }
    events.computeIfAbsent(100 * attempt + reader, ignored -> new ArrayList<>()).add(event);
  }

  @Override
  public Map<Integer, Map<Integer, ReaderInfo>> registeredReadersOfAttempts() {
    return Collections.unmodifiableMap(attempts);
  }

  @Override
  public int currentParallelism() {
    return parallelism;
  }

  @Override
  public Map<Integer, ReaderInfo> registeredReaders() {
    return Collections.unmodifiableMap(readers);
  }

  @Override
  public void assignSplits(SplitsAssignment<KorpseSplit> assignment) {
    assignment
        .assignment()
        .forEach(
            (reader, splits) -> {
              requireRegistered(reader);
              if (told.containsKey(reader)) {
                throw new AssertionError("Reader " + reader + " was told that there are no more");
              }
              splits.forEach(KorpseSplit::position);
              assigned.computeIfAbsent(reader, ignored -> new ArrayList<>()).addAll(splits);
              sent.computeIfAbsent(reader, ignored -> new ArrayList<>()).addAll(splits);
            });
  }

  @Override
  public void signalNoMoreSplits(int reader) {
    requireRegistered(reader);
    if (told.merge(reader, 1, Integer::sum) > 1) {
      throw new AssertionError("Reader " + reader + " was told twice");
    }
  }

  private void requireRegistered(int reader) {
    if (!readers.containsKey(reader)) {
      throw new AssertionError("Reader " + reader + " is not registered");
    }
  }

  @Override
  public <T> void callAsync(Callable<T> callable, BiConsumer<T, Throwable> handler) {
    calls.add(() -> call(callable, handler));
  }

  @Override
  public <T> void callAsync(
      Callable<T> callable, BiConsumer<T, Throwable> handler, long delay, long periodMillis) {
    periodic.add(() -> call(callable, handler));
    period = Math.min(periodMillis, period);
  }

  private static <T> void call(Callable<T> callable, BiConsumer<T, Throwable> handler) {
    T result;
    try {
      result = callable.call();
    } catch (Throwable e) {
      handler.accept(null, e);
      return;
    }
    handler.accept(result, null);
  }

  @Override
  public void runInCoordinatorThread(Runnable runnable) {
    calls.add(runnable);
  }
}
