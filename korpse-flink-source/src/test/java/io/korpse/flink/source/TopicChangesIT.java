package io.korpse.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.korpse.flink.source.testing.RunningJob;
import io.korpse.flink.source.testing.SavepointContents;
import io.korpse.flink.source.testing.Values;
import io.korpse.testing.EmbeddedBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.ExceptionUtils;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Partitions and topics that come and go under a running job, and restores. */
@Timeout(240)
final class TopicChangesIT {

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(3)
              .build());

  private static EmbeddedBroker broker;

  @TempDir private Path savepoints;

  private final String topic = "topic-" + UUID.randomUUID();

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @Test
  void new_partitions_and_topics_are_read_from_their_start() throws Exception {
    broker.createTopic(topic, 1);
    try (RunningJob<String> job =
        RunningJob.start(
            source()
                .setTopicPattern(Pattern.compile(topic + ".*"))
                .setStartingOffsets(OffsetsInitializer.latest())
                .build(),
            2,
            null)) {
      await().atMost(EmbeddedBroker.patience()).until(() -> job.status() == JobStatus.RUNNING);
      broker.createTopic(topic + "-2", 1);
      broker.increasePartitions(topic, 2);
      List<String> expected = new ArrayList<>(Values.write(broker, topic, 1, 0, 20));
      expected.addAll(Values.write(broker, topic + "-2", 0, 0, 30));

      assertThat(job.awaitCount(50)).containsExactlyInAnyOrderElementsOf(expected);
    }
  }

  @Test
  void a_deleted_topic_fails_the_job_and_is_named() throws Exception {
    broker.createTopic(topic, 1);
    Values.write(broker, topic, 0, 0, 10);
    try (RunningJob<String> job = RunningJob.start(source().setTopics(topic).build(), 1, null)) {
      job.awaitCount(10);
      delete(topic);

      assertThatThrownBy(job::awaitEnd)
          .satisfies(
              error ->
                  assertThat(ExceptionUtils.stringifyException(error))
                      .contains(topic + "-0")
                      .contains("korpse.on-topic-removed"));
    }
  }

  @Test
  void a_bounded_job_whose_topic_is_deleted_before_its_stop_fails_and_names_it() throws Exception {
    broker.createTopic(topic, 1);
    Values.write(broker, topic, 0, 0, 10);
    KorpseSource<String> bounded =
        source()
            .setTopics(topic)
            .setBounded(OffsetsInitializer.offsets(Map.of(new TopicPartition(topic, 0), 100L)))
            .build();
    try (RunningJob<String> job = RunningJob.start(bounded, 1, null)) {
      job.awaitCount(10);
      delete(topic);

      assertThatThrownBy(job::awaitEnd)
          .satisfies(
              error ->
                  assertThat(ExceptionUtils.stringifyException(error))
                      .contains(topic + "-0")
                      .contains("korpse.on-topic-removed"));
    }
  }

  @Test
  void a_deleted_topic_leaves_and_is_read_anew_when_it_comes_again() throws Exception {
    broker.createTopic(topic, 2);
    broker.createTopic(topic + "-2", 1);
    List<String> first = new ArrayList<>(Values.write(broker, topic, 0, 0, 10));
    first.addAll(Values.write(broker, topic + "-2", 0, 0, 10));
    try (RunningJob<String> job =
        RunningJob.start(
            source()
                .setTopics(topic, topic + "-2")
                .setOnTopicRemoved(TopicRemovalPolicy.CONTINUE)
                .build(),
            2,
            null)) {
      job.awaitCount(20);
      delete(topic);
      List<String> others = Values.write(broker, topic + "-2", 0, 10, 20);
      job.awaitCount(30);
      broker.createTopic(topic, 2);
      List<String> anew = Values.write(broker, topic, 0, 500, 510);

      List<String> all = new ArrayList<>(first);
      all.addAll(others);
      all.addAll(anew);
      assertThat(job.awaitCount(40)).containsExactlyInAnyOrderElementsOf(all);
      assertThat(job.status()).isEqualTo(JobStatus.RUNNING);
    }
  }

  /** W25: its offset is in the new log too, so that Kafka tells nothing. */
  @Test
  void a_topic_that_was_created_again_while_the_job_was_stopped_is_read_from_its_start()
      throws Exception {
    broker.createTopic(topic, 1);
    Values.write(broker, topic, 0, 0, 10);
    KorpseSourceBuilder<String> source = source().setTopics(topic);
    String savepoint;
    try (RunningJob<String> job = RunningJob.start(source.build(), 1, null)) {
      job.awaitCount(10);
      savepoint = job.stop(savepoints);
    }
    delete(topic);
    broker.createTopic(topic, 1);
    List<String> anew = Values.write(broker, topic, 0, 500, 550);

    try (RunningJob<String> job = RunningJob.start(source.build(), 1, savepoint)) {
      assertThatThrownBy(job::awaitEnd)
          .satisfies(
              error ->
                  assertThat(ExceptionUtils.stringifyException(error))
                      .contains("deleted and created again", topic + "-0")
                      .contains("korpse.on-topic-removed"));
      assertThat(job.values()).isEmpty();
    }
    KorpseSource<String> goesOn = source.setOnTopicRemoved(TopicRemovalPolicy.CONTINUE).build();
    try (RunningJob<String> job = RunningJob.start(goesOn, 1, savepoint)) {
      assertThat(job.awaitCount(50)).isEqualTo(anew);
    }
  }

  @Test
  void nothing_of_a_topic_that_was_taken_out_of_the_list_is_read_after_a_restore()
      throws Exception {
    String out = topic + "-2";
    broker.createTopic(topic, 1);
    broker.createTopic(out, 1);
    Values.write(broker, topic, 0, 0, 10);
    Values.write(broker, out, 0, 500, 510);
    String savepoint;
    try (RunningJob<String> job =
        RunningJob.start(source().setTopics(topic, out).build(), 1, null)) {
      job.awaitCount(20);
      savepoint = job.stop(savepoints);
    }

    Values.write(broker, out, 0, 510, 520);
    List<String> expected = Values.write(broker, topic, 0, 10, 20);
    try (RunningJob<String> job =
        RunningJob.start(source().setTopics(topic).build(), 1, savepoint)) {
      job.awaitCount(10);
      SavepointContents contents = SavepointContents.read(job.stop(savepoints));

      assertThat(job.values()).isEqualTo(expected);
      assertThat(contents.enumerator().given()).containsKey(new TopicPartition(topic, 0));
    }
  }

  /** W1: a bounded job that is restored ends, at the stop that was found first. */
  @Test
  void a_bounded_job_ends_after_a_restore() throws Exception {
    broker.createTopic(topic, 2);
    List<String> all = new ArrayList<>(Values.write(broker, topic, 0, 0, 60));
    Map<TopicPartition, Long> stops =
        Map.of(new TopicPartition(topic, 0), 100L, new TopicPartition(topic, 1), 0L);
    KorpseSourceBuilder<String> bounded =
        source().setTopics(topic).setBounded(OffsetsInitializer.offsets(stops));
    String savepoint;
    try (RunningJob<String> job = RunningJob.start(bounded.build(), 3, null)) {
      job.awaitCount(60);
      savepoint = job.stop(savepoints);
    }

    all.addAll(Values.write(broker, topic, 0, 60, 130));
    try (RunningJob<String> job = RunningJob.start(bounded.build(), 2, savepoint)) {
      job.awaitEnd();
      assertThat(job.values()).isEqualTo(all.subList(60, 100));
    }
  }

  /** W16: what it stands for in the group when it is restored does not count. */
  @Test
  void a_quiet_partition_has_its_number_in_the_savepoint_whatever_its_group_does_then()
      throws Exception {
    broker.createTopic(topic, 3);
    Values.write(broker, topic, 0, 0, 10);
    Values.write(broker, topic, 1, 0, 5);
    String group = "group-" + topic;
    commit(group, Map.of(partition(0), 0L, partition(1), 5L, partition(2), 0L));
    KorpseSource<String> source =
        source()
            .setTopics(topic)
            .setGroupId(group)
            .setCommitMode(CommitMode.DISABLED)
            .setStartingOffsets(OffsetsInitializer.committedOffsets())
            .build();
    String savepoint;
    try (RunningJob<String> job = RunningJob.start(source, 2, null)) {
      job.awaitCount(10);
      savepoint = job.stop(savepoints);
    }
    SavepointContents contents = SavepointContents.read(savepoint);
    assertThat(contents.readers())
        .extracting(split -> split.position().offset())
        .containsExactlyInAnyOrder(10L, 5L, 0L);
    assertThat(contents.enumerator().given()).hasSize(3);

    commit(group, Map.of(partition(0), 0L, partition(1), 2L, partition(2), 0L));
    List<String> later = Values.write(broker, topic, 1, 5, 20);
    try (RunningJob<String> job = RunningJob.start(source, 2, savepoint)) {
      assertThat(job.awaitCount(15)).isEqualTo(later);
    }
  }

  private TopicPartition partition(int number) {
    return new TopicPartition(topic, number);
  }

  private static void commit(String group, Map<TopicPartition, Long> offsets) throws Exception {
    Map<TopicPartition, OffsetAndMetadata> commits = new HashMap<>();
    offsets.forEach((partition, offset) -> commits.put(partition, new OffsetAndMetadata(offset)));
    try (Admin admin = broker.admin()) {
      admin.alterConsumerGroupOffsets(group, commits).all().get(30, TimeUnit.SECONDS);
    }
  }

  private static KorpseSourceBuilder<String> source() {
    return KorpseSource.<String>builder()
        .setBootstrapServers(broker.bootstrapServers())
        .setDiscoveryInterval(Duration.ofMillis(500))
        .setValueOnlyDeserializer(new SimpleStringSchema());
  }

  private static void delete(String name) throws Exception {
    try (Admin admin = broker.admin()) {
      admin.deleteTopics(List.of(name)).all().get(30, TimeUnit.SECONDS);
      await()
          .atMost(EmbeddedBroker.patience())
          .until(() -> !admin.listTopics().names().get().contains(name));
    }
  }
}
