package io.korpse.flink.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.types.PojoTestUtils;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

final class CopyTopicJobTest {

  @Test
  void a_record_is_copied_byte_for_byte() throws Exception {
    RecordHeaders headers = new RecordHeaders();
    headers.add("a", "1".getBytes(UTF_8)).add("a", null);

    ProducerRecord<byte[], byte[]> copy = copy("key", "value", headers).to("copy", true);

    assertThat(copy.topic()).isEqualTo("copy");
    assertThat(copy.partition()).isEqualTo(3);
    assertThat(copy.timestamp()).isEqualTo(42);
    assertThat(copy.key()).isEqualTo("key".getBytes(UTF_8));
    assertThat(copy.value()).isEqualTo("value".getBytes(UTF_8));
    assertThat(copy.headers()).isEqualTo(headers);
  }

  @Test
  void a_tombstone_stays_a_tombstone_and_the_key_may_choose_the_partition() throws Exception {
    ProducerRecord<byte[], byte[]> copy = copy("key", null, new RecordHeaders()).to("copy", false);

    assertThat(copy.value()).isNull();
    assertThat(copy.partition()).isNull();
  }

  @Test
  void flink_serializes_the_record_without_kryo() {
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(CopiedRecord.class);
  }

  @Test
  void missing_options_end_with_2_and_are_named() {
    CapturedRun run =
        CapturedRun.of(() -> JobMain.runAlone(new CopyTopicJob(), "--bootstrap-server=x:1"));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("--topic", "--to-topic");
  }

  private static CopiedRecord copy(String key, String value, RecordHeaders headers)
      throws Exception {
    List<CopiedRecord> copies = new ArrayList<>();
    new CopiedRecord.Schema()
        .deserialize(
            new ConsumerRecord<>(
                "original",
                3,
                17,
                42,
                TimestampType.CREATE_TIME,
                0,
                0,
                key.getBytes(UTF_8),
                value == null ? null : value.getBytes(UTF_8),
                headers,
                Optional.empty()),
            new Collector<>() {
              @Override
              public void collect(CopiedRecord copy) {
                copies.add(copy);
              }

              @Override
              public void close() {}
            });
    return copies.get(0);
  }
}
