package io.korpse.flink.jobs.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads a topic from the start to what is committed. */
final class TopicReader {

  private TopicReader() {}

  /**
   * Gives every record to {@code taker}, partition by partition in the order of the log.
   *
   * @throws IllegalStateException when the end does not come within {@code atMost}, as when a
   *     transaction stays open
   */
  static void read(
      String bootstrapServers,
      String topic,
      int partitions,
      Consumer<ConsumerRecord<byte[], byte[]>> taker,
      Duration atMost) {
    Map<String, Object> config =
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            bootstrapServers,
            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
            "read_committed",
            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
            "none",
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
            false);
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> all =
          IntStream.range(0, partitions).mapToObj(p -> new TopicPartition(topic, p)).toList();
      consumer.assign(all);
      consumer.seekToBeginning(all);
      Map<TopicPartition, Long> ends = consumer.endOffsets(all);
      long deadline = System.nanoTime() + atMost.toNanos();
      while (ends.entrySet().stream()
          .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        if (System.nanoTime() - deadline > 0) {
          throw new IllegalStateException(
              "The end of topic " + topic + " was not reached: " + ends);
        }
        consumer.poll(Duration.ofMillis(200)).forEach(taker);
      }
    }
  }
}
