package io.korpse.flink.source.reader.proxy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** A consumer, real or simulated, on which a {@link ConsumerScript} is played. */
abstract class ScriptTarget {

  /**
   * What one poll did.
   *
   * @param runs partition and offsets of each run of records, in the order of the result
   * @param next next offsets by partition
   */
  record Polled(List<String> runs, Map<Integer, Long> next) {
    boolean isEmpty() {
      return runs.isEmpty() && next.isEmpty();
    }
  }

  /** What a consumer says of itself. */
  record State(Map<Integer, Long> positions, Set<Integer> paused) {}

  private final String topic;
  private final Consumer<byte[], byte[]> consumer;

  ScriptTarget(String topic, Consumer<byte[], byte[]> consumer) {
    this.topic = topic;
    this.consumer = consumer;
  }

  abstract void append(int partition, int records, int bytes);

  abstract void appendTransaction(int partition, int records, boolean commit);

  abstract void deleteBefore(int partition, long offset) throws Exception;

  /** Lets requests that are under way arrive. */
  abstract void settle();

  final Polled poll(Duration timeout) {
    ConsumerRecords<byte[], byte[]> records = consumer.poll(timeout);
    List<String> runs = new ArrayList<>();
    for (TopicPartition id : records.partitions()) {
      List<Long> offsets = new ArrayList<>();
      records.records(id).forEach(record -> offsets.add(record.offset()));
      runs.add(id.partition() + ":" + offsets);
    }
    Map<Integer, Long> next = new TreeMap<>();
    records.nextOffsets().forEach((id, offset) -> next.put(id.partition(), offset.offset()));
    return new Polled(runs, next);
  }

  final void pause(Set<Integer> partitions) {
    consumer.pause(ids(partitions));
  }

  final void resume(Set<Integer> partitions) {
    consumer.resume(ids(partitions));
  }

  final void seek(int partition, long offset) {
    consumer.seek(new TopicPartition(topic, partition), offset);
  }

  final void seek(int partition, long offset, int epoch) {
    consumer.seek(
        new TopicPartition(topic, partition),
        new OffsetAndMetadata(offset, Optional.of(epoch), ""));
  }

  final void assign(Set<Integer> partitions) {
    Set<TopicPartition> before = Set.copyOf(consumer.assignment());
    consumer.assign(ids(partitions));
    ids(partitions).stream().filter(id -> !before.contains(id)).forEach(id -> consumer.seek(id, 0));
  }

  final State state() {
    Map<Integer, Long> positions = new TreeMap<>();
    consumer.assignment().forEach(id -> positions.put(id.partition(), consumer.position(id)));
    Set<Integer> paused = new TreeSet<>();
    consumer.paused().forEach(id -> paused.add(id.partition()));
    return new State(positions, paused);
  }

  /** The lag of each assigned partition; every partition must have had a fetch response. */
  final Map<Integer, Long> lags() {
    Map<Integer, Long> lags = new TreeMap<>();
    consumer
        .assignment()
        .forEach(id -> consumer.currentLag(id).ifPresent(lag -> lags.put(id.partition(), lag)));
    return lags;
  }

  private List<TopicPartition> ids(Set<Integer> partitions) {
    return partitions.stream().map(number -> new TopicPartition(topic, number)).toList();
  }
}
