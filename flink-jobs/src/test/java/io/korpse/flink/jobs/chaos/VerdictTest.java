package io.korpse.flink.jobs.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

final class VerdictTest {

  private static final long TIMESTAMP = 1_767_225_600_000L;

  private final Verdict verdict = new Verdict();
  private long offset;

  @Test
  void a_faithful_copy_is_clean() {
    take(0, 0, 1, 2);
    take(1, 0);
    verdict.expect(new long[] {3, 1});

    assertThat(verdict.clean()).isTrue();
    assertThat(verdict.records()).isEqualTo(4);
    assertThat(verdict.details()).isEmpty();
  }

  @Test
  void names_each_lost_record() {
    take(0, 0, 2);
    verdict.expect(new long[] {4, 1});

    assertThat(verdict.lost()).isEqualTo(3);
    assertThat(verdict.details()).containsExactly("lost: 0@1", "lost: 0@3", "lost: 1@0");
  }

  @Test
  void a_record_that_comes_again_is_doubled_and_not_reordered() {
    take(0, 0, 1, 0);
    verdict.expect(new long[] {2, 0});

    assertThat(verdict.doubled()).isEqualTo(1);
    assertThat(verdict.reordered()).isZero();
    assertThat(verdict.clean()).isFalse();
  }

  @Test
  void a_late_record_is_reordered_and_not_lost() {
    take(0, 1, 0);
    verdict.expect(new long[] {2, 0});

    assertThat(verdict.reordered()).isEqualTo(1);
    assertThat(verdict.lost()).isZero();
  }

  @Test
  void a_changed_byte_is_corrupt() {
    ProducerRecord<byte[], byte[]> written = written(0, 0);
    written.value()[25] ^= 1;
    verdict.take(copy(0, 7, written));
    verdict.take(copy(0, 8, new ProducerRecord<>("copy", null)));

    assertThat(verdict.corrupt()).isEqualTo(2);
    assertThat(verdict.details()).containsExactly("corrupt: copy-0@7", "corrupt: copy-0@8");
  }

  @Test
  void what_is_encoded_can_be_decoded() {
    NumberedRecord record = new NumberedRecord(7, 1L << 33, 99);

    assertThat(NumberedRecord.decode(record.to("t", 0).value())).contains(record);
    assertThat(NumberedRecord.decode(record.to("t", 100).value())).contains(record);
  }

  @Test
  void a_record_in_another_partition_is_corrupt() {
    verdict.take(copy(1, 0, written(0, 0)));
    verdict.expect(new long[] {1, 0});

    assertThat(verdict.details()).containsExactly("corrupt: 0@0 at copy-1@0 in another partition");
    assertThat(verdict.clean()).isFalse();
  }

  @Test
  void another_key_is_corrupt() {
    ProducerRecord<byte[], byte[]> written = written(0, 0);
    written.key()[0] ^= 1;
    verdict.take(copy(0, 0, written));

    assertThat(verdict.details()).singleElement().asString().endsWith(" with another key");
  }

  @Test
  void another_timestamp_is_corrupt() {
    ProducerRecord<byte[], byte[]> written = written(0, 0);
    verdict.take(
        copy(
            0,
            0,
            new ProducerRecord<>(
                "copy", 0, TIMESTAMP + 1, written.key(), written.value(), written.headers())));

    assertThat(verdict.details()).singleElement().asString().endsWith(" with another timestamp");
  }

  @Test
  void a_header_that_is_gone_or_changed_or_new_or_elsewhere_is_corrupt() {
    ProducerRecord<byte[], byte[]> less = written(0, 0);
    less.headers().remove("null");
    ProducerRecord<byte[], byte[]> changed = written(0, 1);
    changed.headers().remove("empty").add("empty", new byte[1]);
    ProducerRecord<byte[], byte[]> more = written(0, 2);
    more.headers().add("more", null);
    ProducerRecord<byte[], byte[]> elsewhere = written(0, 3);
    elsewhere.headers().remove("empty").add("empty", new byte[0]);
    List.of(less, changed, more, elsewhere).forEach(each -> verdict.take(copy(0, 0, each)));

    assertThat(verdict.corrupt()).isEqualTo(4);
    assertThat(verdict.details()).allMatch(detail -> detail.endsWith(" with other headers"));
  }

  @Test
  void a_record_that_was_never_written_is_corrupt() {
    take(0, 0, 1);
    take(2, 0);
    verdict.expect(new long[] {1, 0});

    assertThat(verdict.details())
        .containsExactly("corrupt: 0@1 was never written", "corrupt: 2@0 was never written");
    assertThat(verdict.corrupt()).isEqualTo(2);
  }

  private void take(int partition, long... sequences) {
    for (long sequence : sequences) {
      verdict.take(copy(partition, offset++, written(partition, sequence)));
    }
  }

  private static ProducerRecord<byte[], byte[]> written(int partition, long sequence) {
    return new NumberedRecord(partition, sequence, TIMESTAMP).to("original", 3);
  }

  /** As a consumer sees what was written. */
  private static ConsumerRecord<byte[], byte[]> copy(
      int partition, long offset, ProducerRecord<byte[], byte[]> written) {
    return new ConsumerRecord<>(
        "copy",
        partition,
        offset,
        written.timestamp() == null ? TIMESTAMP : written.timestamp(),
        TimestampType.CREATE_TIME,
        0,
        0,
        written.key(),
        written.value(),
        written.headers(),
        Optional.empty());
  }
}
