package io.korpse.offsets.example;

import io.korpse.offsets.GroupLag;
import io.korpse.offsets.GroupOffsets;
import io.korpse.offsets.OffsetRange;
import io.korpse.offsets.OffsetRule;
import io.korpse.offsets.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Reads a topic to its end in batches. A crash loses nothing; the records of the batch in which it
 * crashed are read again.
 */
public final class BatchProgram {

  private BatchProgram() {}

  public static void run(
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
      Map<TopicPartition, Position> next = new HashMap<>();

      // How far behind am I?
      Map<TopicPartition, GroupLag> lags = offsets.lag(topic);
      while (lags.values().stream().anyMatch(lag -> isBehind(lag, next))) {

        // Where do I start? Also in partitions that were added meanwhile.
        if (!next.keySet().containsAll(lags.keySet())) {
          offsets.startingOffsets(topic).forEach(next::putIfAbsent);
          consumer.assign(next.keySet());
          next.forEach((partition, position) -> consumer.seek(partition, position.offset()));
        }
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
        lags = offsets.lag(topic);
      }
    }
  }

  // A partition whose end cannot be told just now may hold anything.
  private static boolean isBehind(GroupLag lag, Map<TopicPartition, Position> next) {
    Position position = next.get(lag.partition());
    return position == null || !lag.end().isKnown() || lag.end().value() > position.offset();
  }
}
