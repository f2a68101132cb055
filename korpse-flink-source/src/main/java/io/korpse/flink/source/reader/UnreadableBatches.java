package io.korpse.flink.source.reader;

import io.korpse.flink.source.BadRecordPolicy;
import io.korpse.flink.source.reader.proxy.Unreadable;
import io.korpse.flink.source.reader.proxy.UnreadableHandler;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * Where a split goes on behind a damaged batch. With the policy to fail nothing behind it is read
 * any more. Otherwise the end of the batch is looked for with a consumer of its own, on a thread of
 * its own, while the other splits flow. Such a search ends with the reader.
 */
final class UnreadableBatches implements UnreadableHandler, AutoCloseable {

  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(100);

  private final BadRecordPolicy policy;
  private final Supplier<? extends Consumer<byte[], byte[]>> consumers;
  private final LongSupplier nanos;
  private final Duration closeTimeout;

  /** The threads that search, and the consumer of each once it has one. */
  private final Map<Thread, Optional<Consumer<byte[], byte[]>>> running = new HashMap<>();

  private boolean closed;

  /** A handler; {@code consumers} makes consumers that return at most one record in a poll. */
  UnreadableBatches(
      BadRecordPolicy policy,
      Supplier<? extends Consumer<byte[], byte[]>> consumers,
      LongSupplier nanos,
      Duration closeTimeout) {
    this.policy = policy;
    this.consumers = consumers;
    this.nanos = nanos;
    this.closeTimeout = closeTimeout;
  }

  @Override
  public CompletionStage<Long> nextReadable(TopicPartition partition, long offset) {
    if (policy == BadRecordPolicy.FAIL) {
      return CompletableFuture.completedFuture(Long.MAX_VALUE);
    }
    CompletableFuture<Long> found = new CompletableFuture<>();
    Thread thread = new Thread(() -> search(partition, offset, found), "korpse-probe-" + partition);
    thread.setDaemon(true);
    synchronized (running) {
      if (closed) {
        found.completeExceptionally(new WakeupException());
        return found;
      }
      running.put(thread, Optional.empty());
      thread.start();
    }
    return found;
  }

  /** Ends the searches, and waits until their consumers are closed. */
  @Override
  public void close() {
    Map<Thread, Optional<Consumer<byte[], byte[]>>> left;
    synchronized (running) {
      closed = true;
      running.values().forEach(consumer -> consumer.ifPresent(Consumer::wakeup));
      left = Map.copyOf(running);
    }
    long deadline = nanos.getAsLong() + closeTimeout.toNanos();
    for (Thread thread : left.keySet()) {
      try {
        long millis = Math.max(1, Duration.ofNanos(deadline - nanos.getAsLong()).toMillis());
        thread.join(millis);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private Consumer<byte[], byte[]> open() {
    Consumer<byte[], byte[]> consumer = consumers.get();
    synchronized (running) {
      running.put(Thread.currentThread(), Optional.of(consumer));
      if (closed) {
        consumer.wakeup();
      }
    }
    return consumer;
  }

  private void search(TopicPartition partition, long offset, CompletableFuture<Long> found) {
    Consumer<byte[], byte[]> consumer = null;
    try {
      consumer = open();
      consumer.assign(List.of(partition));
      long deadline = nanos.getAsLong() + LIMIT.toNanos();
      long end = end(consumer, partition);
      Consumer<byte[], byte[]> probe = consumer;
      found.complete(BatchEnd.find(offset, end, at -> failure(probe, partition, at, deadline)));
    } catch (RuntimeException | Error e) {
      found.completeExceptionally(
          new KafkaException(
              "Cannot find where reading goes on after the damage at offset "
                  + offset
                  + " of "
                  + partition
                  + ": "
                  + e,
              e));
    } finally {
      if (consumer != null) {
        consumer.close(CloseOptions.timeout(POLL));
      }
      synchronized (running) {
        running.remove(Thread.currentThread());
      }
    }
  }

  private static long end(Consumer<byte[], byte[]> consumer, TopicPartition partition) {
    Map<TopicPartition, Long> ends = consumer.endOffsets(List.of(partition), LIMIT);
    return ends.get(partition);
  }

  private Optional<String> failure(
      Consumer<byte[], byte[]> consumer, TopicPartition partition, long offset, long deadline) {
    consumer.seek(partition, offset);
    while (nanos.getAsLong() - deadline < 0) {
      try {
        consumer.poll(POLL);
        if (consumer.position(partition) > offset) {
          return Optional.empty();
        }
      } catch (OffsetOutOfRangeException e) {
        return Optional.empty();
      } catch (KafkaException e) {
        if (Unreadable.partitionOf(e).isEmpty()) {
          throw e;
        }
        return Optional.of(Unreadable.reasonOf(e));
      }
    }
    throw new TimeoutException("no answer within " + LIMIT.toMillis() + " ms");
  }
}
