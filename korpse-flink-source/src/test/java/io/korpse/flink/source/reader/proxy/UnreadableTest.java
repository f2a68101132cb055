package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;

/** That these are the client's texts is held by the tests with damaged logs. */
final class UnreadableTest {

  @Test
  void finds_the_partition_in_the_text() {
    assertThat(Unreadable.partitionOf(nextRecord("a.b-1-12"))).contains(tp("a.b-1", 12));
    assertThat(Unreadable.partitionOf(corrupt(7))).contains(tp("t", 3));
  }

  @Test
  void knows_when_it_is_about_something_else() {
    assertThat(Unreadable.partitionOf(new TopicAuthorizationException("t-1"))).isEmpty();
    assertThat(Unreadable.partitionOf(new KafkaException((String) null))).isEmpty();
  }

  @Test
  void the_reason_is_the_innermost() {
    assertThat(Unreadable.reasonOf(nextRecord("t-1"))).isEqualTo("batch at 5 is invalid");
  }

  /** The client names the offset that it asked for, not the batch. */
  @Test
  void the_reason_is_the_same_for_each_offset_that_the_broker_cannot_read() {
    assertThat(Unreadable.reasonOf(corrupt(7)))
        .isEqualTo(Unreadable.reasonOf(corrupt(8)))
        .contains("corrupt message", "t-3");
  }

  private static KafkaException corrupt(long offset) {
    return new KafkaException(
        "Encountered corrupt message when fetching offset " + offset + " for topic-partition t-3");
  }

  private static KafkaException nextRecord(String partition) {
    return new KafkaException(
        "Received exception when fetching the next record from "
            + partition
            + ". If needed, please seek past the record to continue consumption.",
        new KafkaException("batch at 5 is invalid"));
  }

  private static TopicPartition tp(String topic, int partition) {
    return new TopicPartition(topic, partition);
  }
}
