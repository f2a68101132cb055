package io.korpse.flink.jobs.bench;

import java.util.Collection;
import java.util.HashSet;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * What a source shall read, from the earliest offset.
 *
 * @param partitions the partitions to read; empty for all of the topic
 * @param bounded whether to stop at the end as it is at the start
 * @param properties further properties of the consumer
 */
record ReadPlan<T>(
    String bootstrap,
    String topic,
    Set<TopicPartition> partitions,
    String groupId,
    boolean bounded,
    Decoding<T> decoding,
    Properties properties) {

  static <T> ReadPlan<T> of(Request request, Decoding<T> decoding) {
    Properties properties = request.options().consumerProperties();
    String group = "bench-%s-%s".formatted(request.topic(), request.source());
    return new ReadPlan<>(
        request.bootstrap(), request.topic(), Set.of(), group, false, decoding, properties);
  }

  ReadPlan<T> untilEnd() {
    return new ReadPlan<>(bootstrap, topic, partitions, groupId, true, decoding, properties);
  }

  ReadPlan<T> onlyPartitions(Collection<Integer> numbers) {
    Set<TopicPartition> chosen = new HashSet<>();
    numbers.forEach(number -> chosen.add(new TopicPartition(topic, number)));
    return new ReadPlan<>(bootstrap, topic, chosen, groupId, bounded, decoding, properties);
  }

  ReadPlan<T> withGroup(String group) {
    return new ReadPlan<>(bootstrap, topic, partitions, group, bounded, decoding, properties);
  }

  ReadPlan<T> withProperty(String key, String value) {
    Properties changed = new Properties();
    changed.putAll(properties);
    changed.setProperty(key, value);
    return new ReadPlan<>(bootstrap, topic, partitions, groupId, bounded, decoding, changed);
  }
}
