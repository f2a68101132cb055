package io.korpse.flink.jobs.chaos;

import java.nio.ByteBuffer;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.coordinator.group.generated.OffsetCommitKey;
import org.apache.kafka.coordinator.group.generated.OffsetCommitValue;

/** Every commit of a group, in the order in which the coordinator took them. */
final class CommitLog {

  static final String TOPIC = "__consumer_offsets";

  /** As many as the harness's brokers are told to have. */
  private static final int PARTITIONS = 4;

  private CommitLog() {}

  /** Replays the commits of the group; they must not have been compacted yet. */
  static void read(String bootstrapServers, String group, CommitAudit audit, Duration atMost) {
    TopicReader.read(
        bootstrapServers, TOPIC, PARTITIONS, record -> replay(record, group, audit), atMost);
  }

  private static void replay(
      ConsumerRecord<byte[], byte[]> record, String group, CommitAudit audit) {
    ByteBuffer key = ByteBuffer.wrap(record.key());
    // The other kinds of records tell of groups and their members.
    if (key.getShort() > 1 || record.value() == null) {
      return;
    }
    OffsetCommitKey of = new OffsetCommitKey(new ByteBufferAccessor(key), (short) 0);
    if (of.group().equals(group)) {
      ByteBuffer value = ByteBuffer.wrap(record.value());
      short version = value.getShort();
      OffsetCommitValue commit = new OffsetCommitValue(new ByteBufferAccessor(value), version);
      audit.replay(
          new TopicPartition(of.topic(), of.partition()),
          new OffsetAndMetadata(commit.offset(), commit.metadata()));
    }
  }
}
