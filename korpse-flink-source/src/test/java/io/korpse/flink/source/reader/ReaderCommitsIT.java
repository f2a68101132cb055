package io.korpse.flink.source.reader;

import static io.korpse.flink.source.reader.ReaderRig.committed;
import static io.korpse.flink.source.reader.ReaderRig.produce;
import static io.korpse.flink.source.reader.ReaderRig.source;
import static io.korpse.flink.source.reader.ReaderRig.split;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korpse.flink.source.CommitMode;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.flink.source.split.PeerOffsets;
import io.korpse.testing.EmbeddedBroker;
import io.korpse.testing.Sender;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a reader commits, and what it does not. */
@Timeout(180)
final class ReaderCommitsIT {

  private static EmbeddedBroker broker;

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  /** W37: tools that look at the group see that a transactional topic is read to its end. */
  @Test
  void the_position_past_the_last_control_record_is_committed() throws Exception {
    broker.createTopic("transactional", 1);
    try (Sender producer = new Sender(broker, Map.of("transactional.id", "commits"))) {
      producer.producer().initTransactions();
      for (int i = 0; i < 3; i++) {
        producer.producer().beginTransaction();
        producer.send("transactional", 0, null, ("0:" + i).getBytes(UTF_8));
        producer.producer().commitTransaction();
      }
    }
    try (ReaderRig rig =
        new ReaderRig(source(broker).setProperty("isolation.level", "read_committed"))) {
      rig.add(split("transactional", 0));
      // Three records and three control records.
      rig.pollUntil(() -> rig.reader.snapshotState(1).get(0).position().offset() == 6);
      rig.checkpoint(2);

      committed(broker).await("transactional", Map.of(0, 6L));
      await()
          .atMost(EmbeddedBroker.patience())
          .until(() -> partitionGauge(rig, "transactional", "committedLag") == 0);
    }
  }

  /** W44: a group without an offset looks as if nobody read. */
  @Test
  void a_partition_without_a_record_is_committed_too() throws Exception {
    broker.createTopic("quiet", 2);

    try (ReaderRig rig = new ReaderRig(source(broker))) {
      rig.add(split("quiet", 0), split("quiet", 1)).checkpoint(1);

      committed(broker).await("quiet", Map.of(0, 0L, 1, 0L));
    }
  }

  @Test
  void a_split_that_waits_for_its_offset_is_not_committed() throws Exception {
    broker.createTopic("waiting", 2);
    KorpseSplit marker =
        KorpseSplit.ofPeer(
            new TopicPartition("waiting", 1),
            new PeerOffsets(PeerOffsets.EARLIEST, PeerOffsets.NO_STOP));

    try (ReaderRig rig = new ReaderRig(source(broker))) {
      rig.add(split("waiting", 0), marker).checkpoint(1);

      committed(broker).await("waiting", Map.of(0, 0L));
      assertThat(rig.reader.snapshotState(2)).contains(marker);
    }
    assertThat(committed(broker).of("waiting")).doesNotContainKey(1);
  }

  @Test
  void a_checkpoint_without_splits_is_no_failure() throws Exception {
    try (ReaderRig rig = new ReaderRig(source(broker))) {
      assertThat(rig.reader.snapshotState(1)).isEmpty();
      rig.reader.notifyCheckpointComplete(1);
      rig.checkpoint(2);

      assertThat(commits(rig, "commitsFailed")).isZero();
    }
  }

  @Test
  void nothing_is_committed_when_commits_are_off() throws Exception {
    produce(broker, "off", 1, 10);

    try (ReaderRig rig = new ReaderRig(source(broker).setCommitMode(CommitMode.DISABLED))) {
      rig.add(split("off", 0)).pollUntilCount(10);
      rig.checkpoint(1);

      assertThat(rig.metrics.getCounter("KafkaSourceReader", "commitsSucceeded")).isEmpty();
    }
    // Closing flushes what there is to commit.
    assertThat(committed(broker).of("off")).isEmpty();
  }

  /** A checkpoint that was not completed is covered by the next one. */
  @Test
  void the_positions_of_an_aborted_checkpoint_are_committed_by_the_next_one() throws Exception {
    produce(broker, "aborted", 1, 10);

    try (ReaderRig rig = new ReaderRig(source(broker))) {
      rig.add(split("aborted", 0)).pollUntilCount(10);
      rig.reader.snapshotState(1);
      rig.reader.notifyCheckpointAborted(1);
      rig.reader.notifyCheckpointComplete(1);
      assertThat(commits(rig, "commitsSucceeded")).isZero();

      rig.checkpoint(2);
      committed(broker).await("aborted", Map.of(0, 10L));
      await().atMost(EmbeddedBroker.patience()).until(() -> commits(rig, "commitsSucceeded") == 1);
    }
  }

  /** Where the topic's predecessor ended says nothing about the new one. */
  @Test
  void a_topic_that_is_created_again_is_committed_from_its_own_start() throws Exception {
    produce(broker, "again", 1, 10);

    try (ReaderRig rig = new ReaderRig(source(broker))) {
      rig.add(split("again", 0, 10)).pollUntil(() -> rig.reader.snapshotState(1).isEmpty());
      createAgain("again", 3);
      rig.add(split("again", 0)).pollUntilCount(13);
      rig.reader.notifyCheckpointComplete(1);
      rig.checkpoint(2);

      committed(broker).await("again", Map.of(0, 3L));
    }
  }

  /** The committer holds a position that it could not write, since the topic was gone. */
  @Test
  void a_position_that_was_not_written_is_not_defended_against_a_new_topic() throws Exception {
    produce(broker, "unwritten", 1, 10);

    try (ReaderRig rig = new ReaderRig(source(broker))) {
      rig.add(split("unwritten", 0, 10)).pollUntil(() -> rig.reader.snapshotState(1).isEmpty());
      delete("unwritten");
      rig.reader.notifyCheckpointComplete(1);
      await().atMost(EmbeddedBroker.patience()).until(() -> commits(rig, "commitsFailed") > 0);
      produce(broker, "unwritten", 1, 3);
      rig.add(split("unwritten", 0)).pollUntilCount(13);
      rig.checkpoint(2);

      committed(broker).await("unwritten", Map.of(0, 3L));
    }
  }

  private static void createAgain(String topic, int records) throws Exception {
    delete(topic);
    produce(broker, topic, 1, records);
  }

  private static void delete(String topic) throws Exception {
    try (Admin admin = broker.admin()) {
      admin.deleteTopics(List.of(topic)).all().get();
      await()
          .atMost(EmbeddedBroker.patience())
          .until(() -> !admin.listTopics().names().get().contains(topic));
    }
  }

  private static long commits(ReaderRig rig, String counter) {
    return rig.metrics.getCounter("KafkaSourceReader", counter).orElseThrow().getCount();
  }

  private static long partitionGauge(ReaderRig rig, String topic, String name) {
    List<String> path = List.of("KafkaSourceReader", "topic", topic, "partition", "0", name);
    return rig.metrics
        .<Number>getGauge(path.toArray(String[]::new))
        .orElseThrow()
        .getValue()
        .longValue();
  }
}
