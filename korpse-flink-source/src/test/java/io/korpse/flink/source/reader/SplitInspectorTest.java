package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korpse.flink.source.reader.proxy.LogInspector.LogEnd;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.LeaderNotAvailableException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.junit.jupiter.api.Test;

final class SplitInspectorTest {

  private static final TopicPartition PARTITION = new TopicPartition("t", 0);
  private static final TopicPartition SECOND = new TopicPartition("t", 1);
  private static final TopicPartition THIRD = new TopicPartition("t", 2);
  private static final Uuid ID = new Uuid(1, 1);
  private static final Uuid OTHER = new Uuid(2, 2);

  private final SplitStates states = new SplitStates(Clock.systemUTC());
  private final List<Map<TopicPartition, LogEnd>> answers = new CopyOnWriteArrayList<>();
  private KafkaFuture<TopicDescription> topic = described(ID);
  private int described;

  /** A partition whose log holds only batches of before epochs, or a broker that tells none. */
  @Test
  void an_end_without_an_epoch_is_an_end_all_the_same() throws Exception {
    assertThat(inspect(Optional.empty())).isEqualTo(new LogEnd(12, -1));
    assertThat(described).isZero();
  }

  @Test
  void the_end_is_told_when_the_topic_is_the_same() throws Exception {
    read(ID, 3);

    assertThat(inspect(Optional.of(4))).isEqualTo(new LogEnd(12, 4));
    assertThat(described).isEqualTo(1);
  }

  @Test
  void a_topic_that_was_created_again_is_told() throws Exception {
    read(OTHER, 3);

    assertThat(inspect(Optional.of(4))).isEqualTo(new LogEnd(-1, -1, true));
  }

  /** As of an explicit start that was not read yet, or a position set after a loss. */
  @Test
  void a_topic_that_was_created_again_is_told_also_of_a_position_without_an_epoch()
      throws Exception {
    read(OTHER, Position.NO_EPOCH);

    assertThat(inspect(Optional.of(4))).isEqualTo(new LogEnd(-1, -1, true));
  }

  @Test
  void a_topic_whose_id_was_never_known_is_not_asked_about() throws Exception {
    read(Uuid.ZERO_UUID, 3);

    assertThat(inspect(Optional.of(4))).isEqualTo(new LogEnd(12, 4));
    assertThat(described).isZero();
  }

  @Test
  void an_id_that_cannot_be_asked_for_changes_nothing() throws Exception {
    read(OTHER, 3);
    KafkaFutureImpl<TopicDescription> failed = new KafkaFutureImpl<>();
    failed.completeExceptionally(new TopicAuthorizationException("t"));
    topic = failed;

    assertThat(inspect(Optional.of(4))).isEqualTo(new LogEnd(12, 4));
  }

  @Test
  void an_older_broker_without_ids_changes_nothing() throws Exception {
    read(OTHER, 3);
    topic = described(Uuid.ZERO_UUID);

    assertThat(inspect(Optional.of(4))).isEqualTo(new LogEnd(12, 4));
  }

  /** The only replica of one is on a broker that is down: no answer before the time limit. */
  @Test
  void partitions_that_have_leaders_do_not_wait_for_one_that_has_none() {
    KafkaFutureImpl<ListOffsetsResultInfo> leaderless = new KafkaFutureImpl<>();
    ask(Map.of(PARTITION, endsAt(12), SECOND, endsAt(13), THIRD, leaderless));

    await().atMost(Duration.ofSeconds(4)).until(() -> !answers.isEmpty());
    assertThat(answers)
        .containsExactly(Map.of(PARTITION, new LogEnd(12, 4), SECOND, new LogEnd(13, 4)));

    leaderless.completeExceptionally(new LeaderNotAvailableException("none"));
    assertThat(answers).hasSize(2).last().isEqualTo(Map.of(THIRD, LogEnd.UNKNOWN));
  }

  /** Else those of the quicker broker would be out of order for a moment. */
  @Test
  void what_is_answered_within_a_moment_is_told_together() {
    KafkaFutureImpl<ListOffsetsResultInfo> slower = new KafkaFutureImpl<>();
    ask(Map.of(PARTITION, endsAt(12), SECOND, slower));
    assertThat(answers).isEmpty();

    slower.complete(new ListOffsetsResultInfo(13, -1, Optional.of(4)));
    assertThat(answers)
        .containsExactly(Map.of(PARTITION, new LogEnd(12, 4), SECOND, new LogEnd(13, 4)));
  }

  private void read(Uuid topicId, int epoch) {
    states.put(
        "t-0",
        new KorpseSplitState(
            new KorpseSplit(
                PARTITION, new Position(5, epoch), KorpseSplit.NO_STOP_OFFSET, topicId, false)));
  }

  private LogEnd inspect(Optional<Integer> epoch) {
    ask(Map.of(PARTITION, KafkaFuture.completedFuture(new ListOffsetsResultInfo(12, -1, epoch))));
    return answers.get(0).get(PARTITION);
  }

  private void ask(Map<TopicPartition, KafkaFuture<ListOffsetsResultInfo>> ends) {
    Admin client = admin(new ListOffsetsResult(ends));
    new SplitInspector(() -> client, IsolationLevel.READ_UNCOMMITTED, states)
        .inspect(ends.keySet(), answers::add);
  }

  private static KafkaFuture<ListOffsetsResultInfo> endsAt(long offset) {
    return KafkaFuture.completedFuture(new ListOffsetsResultInfo(offset, -1, Optional.of(4)));
  }

  private static KafkaFuture<TopicDescription> described(Uuid id) {
    return KafkaFuture.completedFuture(
        new TopicDescription("t", false, List.of(), java.util.Set.of(), id));
  }

  /** An Admin client that knows two answers. */
  private Admin admin(ListOffsetsResult ends) {
    return (Admin)
        Proxy.newProxyInstance(
            Admin.class.getClassLoader(),
            new Class<?>[] {Admin.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "listOffsets" -> ends;
                  case "describeTopics" -> {
                    described++;
                    yield new DescribeTopicsResult(null, Map.of("t", topic)) {};
                  }
                  default -> null;
                });
  }
}
