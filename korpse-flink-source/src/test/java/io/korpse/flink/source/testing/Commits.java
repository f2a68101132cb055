package io.korpse.flink.source.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.testing.EmbeddedBroker;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;

/** The offsets that a group has committed, asked of the broker each time. */
public record Commits(EmbeddedBroker broker, String group) {

  /** The offsets in a topic by the number of the partition. */
  public Map<Integer, Long> of(String topic) {
    try (Admin admin = broker.admin()) {
      return ask(admin, topic);
    }
  }

  /** Waits until the group has these offsets in the topic, and no others. */
  public void await(String topic, Map<Integer, Long> offsets) {
    awaitThat(topic, committed -> assertThat(committed).isEqualTo(offsets));
  }

  /** Waits until the group has this offset, whatever it has of other partitions. */
  public void await(TopicPartition partition, long offset) {
    awaitThat(
        partition.topic(),
        committed -> assertThat(committed).containsEntry(partition.partition(), offset));
  }

  /** Also while the broker cannot answer: a test may have taken its disk, or just elected it. */
  private void awaitThat(String topic, Consumer<Map<Integer, Long>> check) {
    try (Admin admin = broker.admin()) {
      Awaitility.await()
          .atMost(EmbeddedBroker.patience())
          .ignoreExceptions()
          .untilAsserted(() -> check.accept(ask(admin, topic)));
    }
  }

  private Map<Integer, Long> ask(Admin admin, String topic) {
    Map<Integer, Long> offsets = new TreeMap<>();
    admin
        .listConsumerGroupOffsets(group)
        .partitionsToOffsetAndMetadata()
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(60, TimeUnit.SECONDS)
        .join()
        .forEach(
            (partition, offset) -> {
              if (partition.topic().equals(topic)) {
                offsets.put(partition.partition(), offset.offset());
              }
            });
    return offsets;
  }
}
