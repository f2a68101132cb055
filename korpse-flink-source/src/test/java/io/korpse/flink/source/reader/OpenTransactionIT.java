package io.korpse.flink.source.reader;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import io.korpse.testing.EmbeddedBroker;
import io.korpse.testing.Sender;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Transactions that are open while a partition changes its leader, on real brokers. */
@Timeout(120)
final class OpenTransactionIT {

  private static final TopicPartition PARTITION = new TopicPartition("open", 0);

  /** The broker tells the last stable offset with an epoch that is later than what follows it. */
  @Test
  void what_an_earlier_leader_took_in_is_read_from_the_last_stable_offset() throws Exception {
    try (EmbeddedBroker brokers = EmbeddedBroker.start(2, Map.of());
        Admin admin = brokers.admin();
        Sender sender = new Sender(brokers, Map.of("transactional.id", "open"))) {
      brokers.createTopic(PARTITION.topic(), 1);
      brokers.move(PARTITION, 0);
      sender.producer().initTransactions();
      sender.producer().beginTransaction();
      sender.send(PARTITION.topic(), 0, null, "one".getBytes(UTF_8));
      sender.send(PARTITION.topic(), 0, null, "two".getBytes(UTF_8));
      sender.producer().flush();
      brokers.move(PARTITION, 1);
      ListOffsetsResultInfo end =
          admin
              .listOffsets(
                  Map.of(PARTITION, OffsetSpec.latest()),
                  new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
              .partitionResult(PARTITION)
              .get();
      Uuid id =
          admin
              .describeTopics(List.of(PARTITION.topic()))
              .topicNameValues()
              .get(PARTITION.topic())
              .get()
              .topicId();
      assertThat(end.offset()).isZero();
      assertThat(end.leaderEpoch()).hasValueSatisfying(epoch -> assertThat(epoch).isPositive());
      Position latest = new Position(end.offset(), end.leaderEpoch().orElseThrow());

      // A poll that ends before the marker, which is of the later epoch, as in a long transaction.
      try (ReaderRig rig =
          new ReaderRig(
              ReaderRig.source(brokers)
                  .setProperty("isolation.level", "read_committed")
                  .setProperty("max.poll.records", "1"))) {
        rig.add(new KorpseSplit(PARTITION, latest, KorpseSplit.NO_STOP_OFFSET, id, false));
        sender.producer().commitTransaction();
        rig.pollUntilCount(2);
        assertThat(rig.output.elements).containsExactly("one", "two");
      }
    }
  }
}
