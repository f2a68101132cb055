package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.reader.proxy.LogInspector.LogEnd;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.junit.jupiter.api.Test;

final class SplitInspectorTest {

  private static final TopicPartition PARTITION = new TopicPartition("t", 0);
  private static final Uuid ID = new Uuid(1, 1);
  private static final Uuid OTHER = new Uuid(2, 2);

  private final SplitStates states = new SplitStates(Clock.systemUTC());
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

  private void read(Uuid topicId, int epoch) {
    states.put(
        "t-0",
        new KorpseSplitState(
            new KorpseSplit(
                PARTITION, new Position(5, epoch), KorpseSplit.NO_STOP_OFFSET, topicId, false)));
  }

  private LogEnd inspect(Optional<Integer> epoch) throws Exception {
    return new SplitInspector(() -> admin(epoch), IsolationLevel.READ_UNCOMMITTED, states)
        .inspect(List.of(PARTITION))
        .toCompletableFuture()
        .get()
        .get(PARTITION);
  }

  private static KafkaFuture<TopicDescription> described(Uuid id) {
    return KafkaFuture.completedFuture(
        new TopicDescription("t", false, List.of(), java.util.Set.of(), id));
  }

  /** An Admin client that knows two answers. */
  private Admin admin(Optional<Integer> epoch) {
    ListOffsetsResult ends =
        new ListOffsetsResult(
            Map.of(
                PARTITION, KafkaFuture.completedFuture(new ListOffsetsResultInfo(12, -1, epoch))));
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
