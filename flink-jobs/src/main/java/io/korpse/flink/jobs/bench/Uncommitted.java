package io.korpse.flink.jobs.bench;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** The emitted records that the consumer group does not cover yet. Thread-safe. */
final class Uncommitted {

  private record Emitted(long offset, long nanos) {}

  private final List<Deque<Emitted>> byPartition = new ArrayList<>();
  private boolean any;

  Uncommitted(int partitions) {
    for (int i = 0; i < partitions; i++) {
      byPartition.add(new ArrayDeque<>());
    }
  }

  synchronized void emitted(long coordinates, long nanos) {
    any = true;
    byPartition
        .get(Coordinates.partition(coordinates))
        .addLast(new Emitted(Coordinates.offset(coordinates), nanos));
  }

  synchronized void committed(TopicPartition partition, OffsetAndMetadata position) {
    if (position == null) {
      return;
    }
    Deque<Emitted> records = byPartition.get(partition.partition());
    while (!records.isEmpty() && records.peekFirst().offset() < position.offset()) {
      records.removeFirst();
    }
  }

  /** Whether anything was emitted so far. */
  synchronized boolean any() {
    return any;
  }

  /** Age of the oldest; 0 if the group covers all. */
  synchronized long oldestAgeNanos(long nowNanos) {
    long age = 0;
    for (Deque<Emitted> records : byPartition) {
      if (!records.isEmpty()) {
        age = Math.max(age, nowNanos - records.peekFirst().nanos());
      }
    }
    return age;
  }
}
