package io.korpse.offsets.example;

import io.korpse.offsets.GroupLag;
import io.korpse.offsets.GroupOffsets;
import io.korpse.offsets.OffsetRange;
import io.korpse.offsets.OffsetRule;
import io.korpse.offsets.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Reads a topic to its end in batches; a crash between two batches loses and repeats nothing. */
final class BatchProgram {

  private BatchProgram() {}

  static void run(
      String brokers, String topic, String group, Consumer<ConsumerRecord<String, String>> work) {
    try (GroupOffsets offsets =
            GroupOffsets.builder(brokers, group)
                .clientId("nightly-report")
                .start(OffsetRule.committed(OffsetRule.earliest()))
                .build();
        KafkaConsumer<String, String> consumer =
            new KafkaConsumer<>(
                Map.of("bootstrap.servers", brokers, "auto.offset.reset", "none"),
                new StringDeserializer(),
                new StringDeserializer())) {

      // Where do I start?
      Map<TopicPartition, Position> next = offsets.startingOffsets(topic);
      consumer.assign(next.keySet());
      next.forEach((partition, position) -> consumer.seek(partition, position.offset()));

      // How far behind am I?
      while (offsets.lag(topic).values().stream().anyMatch(lag -> isBehind(lag, next))) {
        ConsumerRecords<String, String> batch = consumer.poll(Duration.ofSeconds(1));
        batch.forEach(work);

        // Store what I did.
        List<OffsetRange> done = new ArrayList<>();
        batch
            .nextOffsets()
            .forEach(
                (partition, until) -> {
                  Position from = next.put(partition, Position.of(until));
                  done.add(new OffsetRange(partition, from.offset(), Position.of(until)));
                });
        offsets.store(done);
      }
    }
  }

  private static boolean isBehind(GroupLag lag, Map<TopicPartition, Position> next) {
    return lag.end().value() > next.get(lag.partition()).offset();
  }
}
