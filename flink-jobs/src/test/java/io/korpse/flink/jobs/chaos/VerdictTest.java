package io.korpse.flink.jobs.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class VerdictTest {

  private final Verdict verdict = new Verdict();

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
    assertThat(verdict.details())
        .containsExactly(
            "lost: NumberedRecord[partition=0, sequence=1]",
            "lost: NumberedRecord[partition=0, sequence=3]",
            "lost: NumberedRecord[partition=1, sequence=0]");
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
    byte[] value = new NumberedRecord(0, 0).encode(10);
    value[15] ^= 1;
    verdict.take("copy-0@7", value);
    verdict.take("copy-0@8", null);

    assertThat(verdict.corrupt()).isEqualTo(2);
    assertThat(verdict.details()).containsExactly("corrupt: copy-0@7", "corrupt: copy-0@8");
  }

  @Test
  void what_is_encoded_can_be_decoded() {
    NumberedRecord record = new NumberedRecord(7, 1L << 33);

    assertThat(NumberedRecord.decode(record.encode(0))).contains(record);
    assertThat(NumberedRecord.decode(record.encode(100))).contains(record);
  }

  private void take(int partition, long... sequences) {
    for (long sequence : sequences) {
      verdict.take("copy-0", new NumberedRecord(partition, sequence).encode(3));
    }
  }
}
