package io.korpse.flink.jobs.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The floor of every comparison: one consumer, one thread, no Flink, the consumer settings of
 * Korpse.
 */
final class RawLoop {

  private RawLoop() {}

  /** Reads until {@code stop} says so, asked once per poll. */
  static <T> void run(ReadPlan<T> plan, RecordProbe<T> probe, BooleanSupplier stop)
      throws IOException, InterruptedException {
    Decoding<T> decoding = plan.decoding();
    RecordTime time = new RecordTime();
    try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(properties(plan))) {
      List<TopicPartition> partitions = new ArrayList<>(plan.partitions());
      if (partitions.isEmpty()) {
        consumer
            .partitionsFor(plan.topic())
            .forEach(info -> partitions.add(new TopicPartition(info.topic(), info.partition())));
      }
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      while (!stop.getAsBoolean()) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
          time.timestamp = record.timestamp();
          probe.accept(decoding.decode(record), time);
        }
      }
    }
  }

  private static Properties properties(ReadPlan<?> plan) {
    Properties properties = new Properties();
    properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, plan.bootstrap());
    properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
    properties.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, Integer.toString(8 << 20));
    properties.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, Integer.toString(1 << 20));
    properties.put(ConsumerConfig.RECEIVE_BUFFER_CONFIG, Integer.toString(1 << 20));
    properties.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, "100");
    properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "5000");
    properties.putAll(plan.properties());
    return properties;
  }

  private static final class RecordTime implements SinkWriter.Context {

    private long timestamp;

    @Override
    public long currentWatermark() {
      return Long.MIN_VALUE;
    }

    @Override
    public Long timestamp() {
      return timestamp;
    }
  }
}
