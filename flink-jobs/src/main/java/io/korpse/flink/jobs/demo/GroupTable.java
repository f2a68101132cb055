package io.korpse.flink.jobs.demo;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * What a consumer group has committed of one topic, and what is left: the columns of Kafka's own
 * {@code kafka-consumer-groups --describe}.
 */
record GroupTable(List<Row> rows) {

  /**
   * One partition.
   *
   * @param partition topic and number
   * @param committed next offset to read after a restart, 0 when nothing is committed
   * @param end offset of the next record to be written
   */
  record Row(TopicPartition partition, long committed, long end) {
    long lag() {
      return end - committed;
    }
  }

  /** Asks the brokers. */
  static GroupTable of(Admin admin, String group, String topic)
      throws ExecutionException, InterruptedException {
    List<TopicPartition> partitions =
        admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic).partitions().stream()
            .map(info -> new TopicPartition(topic, info.partition()))
            .sorted(Comparator.comparingInt(TopicPartition::partition))
            .toList();
    Map<TopicPartition, ListOffsetsResultInfo> ends =
        admin
            .listOffsets(
                partitions.stream()
                    .collect(Collectors.toMap(partition -> partition, p -> OffsetSpec.latest())))
            .all()
            .get();
    Map<TopicPartition, OffsetAndMetadata> committed =
        admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
    List<Row> rows = new ArrayList<>();
    for (TopicPartition partition : partitions) {
      OffsetAndMetadata position = committed.get(partition);
      rows.add(
          new Row(
              partition, position == null ? 0 : position.offset(), ends.get(partition).offset()));
    }
    return new GroupTable(rows);
  }

  long committed() {
    return sum(Row::committed);
  }

  long end() {
    return sum(Row::end);
  }

  long lag() {
    return sum(Row::lag);
  }

  private long sum(ToLongFunction<Row> column) {
    return rows.stream().mapToLong(column).sum();
  }

  /** Lines for people. */
  String print() {
    StringBuilder text = new StringBuilder();
    String format = "%-20s %9s %10s %10s %8s%n";
    text.append(
        String.format(Locale.ROOT, format, "TOPIC", "PARTITION", "COMMITTED", "END", "LAG"));
    for (Row row : rows) {
      text.append(
          String.format(
              Locale.ROOT,
              format,
              row.partition().topic(),
              row.partition().partition(),
              row.committed(),
              row.end(),
              row.lag()));
    }
    return text.toString();
  }

  void toJson(ArrayNode array) {
    for (Row row : rows) {
      ObjectNode node = array.addObject();
      node.put("topic", row.partition().topic());
      node.put("partition", row.partition().partition());
      node.put("committed", row.committed());
      node.put("end", row.end());
      node.put("lag", row.lag());
    }
  }
}
