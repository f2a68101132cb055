package io.korpse.flink.source.deserializer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

final class BadRecordTest {

  @Test
  void tells_the_size_of_a_key_that_nobody_reads_and_that_was_not_kept() {
    assertThat(describe(3, 5, null, new byte[5])).contains("key 3 bytes").contains("value 5 bytes");
  }

  @Test
  void tells_what_is_there_when_a_record_does_not_know_its_sizes() {
    int unknown = ConsumerRecord.NULL_SIZE;
    assertThat(describe(unknown, unknown, null, new byte[7]))
        .contains("key none")
        .contains("value 7 bytes");
  }

  private static String describe(int keySize, int valueSize, byte[] key, byte[] value) {
    ConsumerRecord<byte[], byte[]> record =
        new ConsumerRecord<>(
            "t",
            0,
            1,
            2,
            TimestampType.CREATE_TIME,
            keySize,
            valueSize,
            key,
            value,
            new RecordHeaders(),
            Optional.empty());
    return new BadRecord(record, new IOException("bad")).describe();
  }
}
