package io.korpse.flink.source.reader.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

final class PollQuotaTest {

  private static final int OVERHEAD = RecordWeigher.OVERHEAD;

  @Test
  void lets_one_record_through_however_large_it_is() {
    PollQuota quota = new PollQuota(true, true);
    quota.begin(10);

    Headers headers = new RecordHeaders();
    assertThat(key(quota, headers, 100)).hasSize(100);
    assertThat(value(quota, headers, 1000)).hasSize(1000);
    assertThat(quota.exceeded()).isFalse();
  }

  @Test
  void withholds_everything_after_the_first_record_that_does_not_fit() {
    PollQuota quota = new PollQuota(true, true);
    quota.begin(OVERHEAD + 250);

    assertThat(value(quota, 100)).hasSize(100);
    assertThat(value(quota, 200)).isSameAs(PollQuota.WITHHELD);
    // It would fit, but comes after one that is to be read again.
    assertThat(value(quota, 1)).isSameAs(PollQuota.WITHHELD);
    assertThat(key(quota, 1)).isSameAs(PollQuota.WITHHELD);
    assertThat(quota.exceeded()).isTrue();
  }

  @Test
  void starts_anew_with_each_poll() {
    PollQuota quota = new PollQuota(true, true);
    quota.begin(1);
    value(quota, 10);
    value(quota, 10);
    quota.begin(1);

    assertThat(quota.exceeded()).isFalse();
    assertThat(value(quota, 10)).hasSize(10);
  }

  @Test
  void withholds_the_value_of_a_second_record_whose_key_still_fits() {
    PollQuota quota = new PollQuota(true, true);
    quota.begin(2 * OVERHEAD + 130);

    Headers first = new RecordHeaders();
    key(quota, first, 10);
    value(quota, first, 100);
    Headers second = new RecordHeaders();
    assertThat(key(quota, second, 10)).hasSize(10);
    assertThat(value(quota, second, 100)).isSameAs(PollQuota.WITHHELD);
  }

  @Test
  void does_not_copy_a_key_that_nobody_reads() {
    PollQuota quota = new PollQuota(false, true);
    quota.begin(1000);

    assertThat(key(quota, 100)).isNull();
    assertThat(quota.used()).isEqualTo(OVERHEAD);
  }

  @Test
  void drops_headers_that_nobody_reads_and_those_of_withheld_records() {
    PollQuota dropping = new PollQuota(true, false);
    dropping.begin(1000);
    Headers unread = headers();
    dropping.values().deserialize("t", unread, ByteBuffer.allocate(1));
    assertThat(unread).isEmpty();

    PollQuota keeping = new PollQuota(true, true);
    keeping.begin(1);
    Headers kept = headers();
    keeping.values().deserialize("t", kept, ByteBuffer.allocate(1));
    Headers withheld = headers();
    keeping.values().deserialize("t", withheld, ByteBuffer.allocate(1));
    assertThat(kept).hasSize(1);
    assertThat(withheld).isEmpty();
  }

  @Test
  void counts_what_the_record_and_each_of_its_headers_weigh() {
    for (boolean withKey : new boolean[] {true, false}) {
      PollQuota quota = new PollQuota(true, true);
      quota.begin(10_000);
      Headers headers = new RecordHeaders();
      for (int i = 0; i < 50; i++) {
        headers.add("h", new byte[2]);
      }
      byte[] key = withKey ? key(quota, headers, 5) : null;
      byte[] value = value(quota, headers, 7);

      ConsumerRecord<byte[], byte[]> record =
          new ConsumerRecord<>(
              "t",
              0,
              0,
              0,
              TimestampType.CREATE_TIME,
              withKey ? 5 : -1,
              7,
              key,
              value,
              headers,
              Optional.empty());
      assertThat(quota.used()).isEqualTo(RecordWeigher.of(true, true).weigh(record));
      assertThat(quota.used()).isEqualTo(RecordWeigher.heapOf(record));
    }
  }

  @Test
  void counts_and_reads_the_headers_of_a_record_that_has_only_a_key() {
    PollQuota quota = new PollQuota(false, true);
    quota.begin(OVERHEAD + RecordWeigher.HEADER_OVERHEAD);

    assertThat(quota.keys().deserialize("t", headers(), ByteBuffer.allocate(100))).isNull();
    assertThat(quota.used()).isEqualTo(OVERHEAD + RecordWeigher.HEADER_OVERHEAD + 2);
    assertThat(key(quota, 1)).isSameAs(PollQuota.WITHHELD);
  }

  @Test
  void copies_what_the_buffer_shows_and_leaves_the_buffer_as_it_was() {
    PollQuota quota = new PollQuota(true, true);
    quota.begin(1000);
    ByteBuffer data = ByteBuffer.wrap(new byte[] {9, 1, 2, 9}, 1, 2);

    assertThat(quota.values().deserialize("t", headers(), data)).containsExactly(1, 2);
    assertThat(data.remaining()).isEqualTo(2);
    for (ByteBuffer other : List.of(data.slice(), data.asReadOnlyBuffer())) {
      assertThat(quota.values().deserialize("t", headers(), other)).containsExactly(1, 2);
      assertThat(other.remaining()).isEqualTo(2);
    }
  }

  private static Headers headers() {
    return new RecordHeaders(
        new RecordHeader[] {
          new RecordHeader(ByteBuffer.wrap(new byte[] {'h'}), ByteBuffer.wrap(new byte[] {1}))
        });
  }

  private static byte[] key(PollQuota quota, int size) {
    return key(quota, new RecordHeaders(), size);
  }

  private static byte[] key(PollQuota quota, Headers headers, int size) {
    return quota.keys().deserialize("t", headers, ByteBuffer.allocate(size));
  }

  private static byte[] value(PollQuota quota, int size) {
    return value(quota, new RecordHeaders(), size);
  }

  private static byte[] value(PollQuota quota, Headers headers, int size) {
    return quota.values().deserialize("t", headers, ByteBuffer.allocate(size));
  }
}
