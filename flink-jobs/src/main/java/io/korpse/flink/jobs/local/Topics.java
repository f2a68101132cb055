package io.korpse.flink.jobs.local;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Creates topics that may be written at once. */
public final class Topics {

  private static final long SECONDS = 60;

  private Topics() {}

  /**
   * Creates topics, each with its number of partitions given, and waits until the leader of each
   * partition answers. An idempotent producer that writes before can lose its first batch:
   * KAFKA-15591.
   */
  public static void create(Admin admin, NewTopic... topics)
      throws ExecutionException, InterruptedException, TimeoutException {
    admin.createTopics(List.of(topics)).all().get(SECONDS, TimeUnit.SECONDS);
    Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
    for (NewTopic topic : topics) {
      for (int p = 0; p < topic.numPartitions(); p++) {
        ends.put(new TopicPartition(topic.name(), p), OffsetSpec.latest());
      }
    }
    Await.until(
        "the leaders of " + ends.keySet(), Duration.ofSeconds(SECONDS), () -> answer(admin, ends));
  }

  private static boolean answer(Admin admin, Map<TopicPartition, OffsetSpec> ends)
      throws InterruptedException, ExecutionException, TimeoutException {
    try {
      return admin.listOffsets(ends).all().get(SECONDS, TimeUnit.SECONDS).size() == ends.size();
    } catch (ExecutionException e) {
      // A broker that has not heard of the topic yet says so, and the client believes it.
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return false;
      }
      throw e;
    }
  }
}
