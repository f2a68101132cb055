package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.SourceSettings;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ReaderLimitsTest {

  private static final long MIB = 1024 * 1024;

  @Test
  void takes_a_twentieth_of_a_small_heap_and_at_most_64_mib() {
    assertThat(limits(256 * MIB).proxy().readerBytes()).isEqualTo(256 * MIB / 20);
    assertThat(limits(8192 * MIB).proxy().readerBytes()).isEqualTo(64 * MIB);
  }

  @Test
  void splits_get_4_mib_each_but_never_more_than_a_quarter_of_the_budget() {
    assertThat(limits(8192 * MIB).proxy().splitHighBytes()).isEqualTo(4 * MIB);
    assertThat(limits(8192 * MIB).proxy().splitLowBytes()).isEqualTo(2 * MIB);
    assertThat(limits(256 * MIB).proxy().splitHighBytes()).isEqualTo(256 * MIB / 20 / 4);
  }

  @Test
  void derives_the_fetch_sizes_from_the_budget() {
    assertThat(limits(8192 * MIB).fetch())
        .containsEntry("fetch.max.bytes", Long.toString(8 * MIB))
        .containsEntry("max.partition.fetch.bytes", Long.toString(MIB))
        .containsEntry("fetch.max.wait.ms", "100");
    assertThat(Long.parseLong(limits(256 * MIB).fetch().get("fetch.max.bytes")))
        .isLessThan(2 * MIB);
  }

  @Test
  void lets_the_broker_keep_a_request_of_a_bounded_source_for_a_moment_only() {
    SourceSettings bounded =
        new SourceSettings(
            settings().kafka(), new Configuration(), Boundedness.BOUNDED, null, null, null);

    assertThat(ReaderLimits.derive(bounded, 8192 * MIB).fetch())
        .containsEntry("fetch.max.wait.ms", "10");
  }

  @Test
  void keeps_what_the_user_set_and_warns_when_it_breaks_the_bound() {
    ReaderLimits limits =
        ReaderLimits.derive(
            settings().withKafka("fetch.max.bytes", Long.toString(50 * MIB)), 8192 * MIB);

    assertThat(limits.fetch()).doesNotContainKey("fetch.max.bytes");
    assertThat(limits.warnings())
        .singleElement()
        .asString()
        .contains("fetch.max.bytes=52428800", "8388608");
  }

  @Test
  void keeps_a_smaller_fetch_size_without_a_warning() {
    ReaderLimits limits =
        ReaderLimits.derive(settings().withKafka("fetch.max.bytes", "1000000"), 8192 * MIB);

    assertThat(limits.warnings()).isEmpty();
  }

  @Test
  void never_changes_a_poll_size_that_the_user_set() {
    ReaderLimits limits =
        ReaderLimits.derive(settings().withKafka("max.poll.records", " 77 "), 8192 * MIB);

    assertThat(limits.maxPollRecords()).isEqualTo(77);
    assertThat(limits.maxPollRecordsFixed()).isTrue();
  }

  @Test
  void a_budget_given_by_the_user_wins_over_the_heap() {
    ReaderLimits limits =
        ReaderLimits.derive(
            settings().with(KorpseSourceOptions.READER_BUFFER, MemorySize.ofMebiBytes(128)),
            256 * MIB);

    assertThat(limits.proxy().readerBytes()).isEqualTo(128 * MIB);
  }

  @Test
  void takes_what_the_user_says_of_polls_and_batches() {
    ReaderLimits limits =
        ReaderLimits.derive(
            settings()
                .with(KorpseSourceOptions.POLL_SIZE, MemorySize.ofMebiBytes(2))
                .with(KorpseSourceOptions.HANDOVER_SIZE, MemorySize.ofMebiBytes(3))
                .with(KorpseSourceOptions.HANDOVER_RECORDS, 99)
                .with(KorpseSourceOptions.HANDOVER_BATCHES, 7)
                .with(KorpseSourceOptions.RETAINED_RESPONSES, 3),
            8192 * MIB);

    assertThat(limits.proxy().pollBytes()).isEqualTo(2 * MIB);
    assertThat(limits.proxy().batchBytes()).isEqualTo(3 * MIB);
    assertThat(limits.proxy().batchRecords()).isEqualTo(99);
    assertThat(limits.proxy().batches()).isEqualTo(7);
    assertThat(limits.proxy().retainedResponses()).isEqualTo(3);
  }

  /** The formula of the README, each line of it. */
  @ParameterizedTest
  @CsvSource({
    "2, 8, 8192",
    "3, 8, 8192",
    "4, 8, 8192",
    "2, 8, 256",
    "4, 8, 64",
    "8, 15, 8192",
    "2, 3, 256"
  })
  void several_consumers_have_no_more_than_one_together(int consumers, int responses, long heap) {
    SourceSettings one = settings().with(KorpseSourceOptions.RETAINED_RESPONSES, responses);
    ReaderLimits alone = ReaderLimits.derive(one, heap * MIB);

    ReaderLimits each =
        ReaderLimits.derive(one.with(KorpseSourceOptions.READER_CONSUMERS, consumers), heap * MIB);

    assertThat(each.readerBytes()).isEqualTo(alone.readerBytes());
    assertThat(consumers * each.proxy().readerBytes()).isLessThanOrEqualTo(alone.readerBytes());
    assertThat(consumers * each.proxy().pollBytes()).isLessThanOrEqualTo(alone.proxy().pollBytes());
    long retained = each.proxy().retainedResponses();
    assertThat(retained).isPositive();
    assertThat(consumers * (2 + retained) * fetchBytes(each))
        .isLessThanOrEqualTo((2 + responses) * fetchBytes(alone));
    assertThat(consumers * (1 + retained)).isLessThanOrEqualTo(1 + responses);
    assertThat(fetchBytes(each)).isGreaterThanOrEqualTo(fetchBytes(alone) / 2);
    assertThat(consumers * each.proxy().batches())
        .isLessThanOrEqualTo(Math.max(alone.proxy().batches(), 2 * consumers));
  }

  private static long fetchBytes(ReaderLimits limits) {
    return Long.parseLong(limits.fetch().get("fetch.max.bytes"));
  }

  /** The size of the heap is not known before. */
  @Test
  void warns_when_a_split_gets_less_than_the_user_set() {
    SourceSettings large =
        settings().with(KorpseSourceOptions.SPLIT_BUFFER, MemorySize.ofMebiBytes(24));

    assertThat(ReaderLimits.derive(large, 8192 * MIB).warnings())
        .singleElement()
        .asString()
        .contains("korpse.split.buffer.size is cut from 25165824 to 16777216 bytes")
        .contains("korpse.reader.buffer.size");
    assertThat(limits(256 * MIB).warnings()).as("the default is cut").isEmpty();
  }

  @Test
  void cuts_what_is_more_than_the_buffer_or_the_heap_has_and_says_so() {
    ReaderLimits limits =
        ReaderLimits.derive(
            settings()
                .with(KorpseSourceOptions.POLL_SIZE, MemorySize.ofMebiBytes(10_240))
                .with(KorpseSourceOptions.HANDOVER_SIZE, MemorySize.ofMebiBytes(10_240))
                .with(KorpseSourceOptions.READER_BUFFER, MemorySize.ofMebiBytes(4_096)),
            1024 * MIB);

    assertThat(limits.proxy().readerBytes()).isEqualTo(512 * MIB);
    assertThat(limits.proxy().pollBytes()).isEqualTo(512 * MIB);
    assertThat(limits.proxy().batchBytes()).isEqualTo(512 * MIB);
    assertThat(limits.warnings())
        .hasSize(3)
        .anyMatch(text -> text.contains("korpse.reader.buffer.size is cut"))
        .anyMatch(text -> text.contains("korpse.reader.poll.size is cut"))
        .anyMatch(text -> text.contains("korpse.handover.size is cut"));
  }

  @Test
  void says_nothing_of_a_fetch_size_that_a_config_provider_gives() {
    ReaderLimits limits =
        ReaderLimits.derive(
            settings().withKafka("fetch.max.bytes", "${file:/etc/kafka:bytes}"), 8192 * MIB);

    assertThat(limits.fetch()).doesNotContainKey("fetch.max.bytes");
    assertThat(limits.warnings()).isEmpty();
  }

  @Test
  void keeps_a_tiny_fetch_size_and_says_what_it_costs() {
    for (String key : new String[] {"max.partition.fetch.bytes", "fetch.max.bytes"}) {
      ReaderLimits limits = ReaderLimits.derive(settings().withKafka(key, "65536"), 8192 * MIB);

      assertThat(limits.fetch()).doesNotContainKey(key);
      assertThat(limits.warnings())
          .singleElement()
          .asString()
          .contains(key + "=65536", "one partition at a time");
    }
  }

  @Test
  void refuses_a_low_watermark_that_is_not_below_the_high_one() {
    assertThatThrownBy(
            () ->
                ReaderLimits.derive(
                    settings().with(KorpseSourceOptions.SPLIT_RESUME_FRACTION, 1.0), 8192 * MIB))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("4194304");
  }

  private static ReaderLimits limits(long heap) {
    return ReaderLimits.derive(settings(), heap);
  }

  private static SourceSettings settings() {
    return SourceSettings.defaults("localhost:9092");
  }
}
