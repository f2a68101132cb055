package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korpse.flink.source.BadRecordPolicy;
import io.korpse.flink.source.deserializer.BadRecord;
import io.korpse.flink.source.deserializer.BadRecordHandler;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

final class BadRecordsTest {

  private static final Duration WINDOW = Duration.ofMinutes(1);

  private final Counter errors = new SimpleCounter();
  private final Counter skipped = new SimpleCounter();
  private long nanos;

  @Test
  void the_limit_is_one_for_each_stretch_of_time() throws Exception {
    BadRecords records = records(BadRecordPolicy.SKIP, 2, null);
    for (int minute = 0; minute < 5; minute++) {
      fail(records, 2);
      nanos += WINDOW.toNanos() + 1;
    }
    assertThat(skipped.getCount()).isEqualTo(10);

    fail(records, 2);
    nanos += WINDOW.toNanos() / 2;
    assertThatThrownBy(() -> fail(records, 1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("More than 2 bad records within PT1M")
        .hasMessageContaining("offset 7 of t-3")
        .hasMessageContaining("Raise the limit");
  }

  @Test
  void a_limit_of_none_fails_at_the_first() {
    assertThatThrownBy(() -> fail(records(BadRecordPolicy.SKIP, 0, null), 1))
        .hasMessageContaining("More than 0 bad records");
  }

  @Test
  void the_limit_holds_for_what_a_handler_takes_too() {
    List<String> taken = new ArrayList<>();
    BadRecords records = records(BadRecordPolicy.HANDLER, 2, bad -> taken.add(bad.toString()));

    assertThatThrownBy(() -> fail(records, 3)).hasMessageContaining("More than 2 bad records");
    assertThat(taken).hasSize(3);
  }

  @Test
  void a_handler_that_fails_is_told_with_the_record_it_failed_at() {
    BadRecords records =
        records(
            BadRecordPolicy.HANDLER,
            10,
            bad -> {
              throw new IllegalStateException("disk full");
            });

    assertThatThrownBy(() -> fail(records, 1))
        .hasMessageContaining("handler of bad records failed")
        .hasMessageContaining("offset 7 of t-3")
        .hasMessageContaining("disk full")
        .hasMessageContaining("may be about an earlier record")
        .hasMessageContaining("Repair what the handler writes to")
        .hasCauseInstanceOf(IllegalStateException.class);
    assertThat(skipped.getCount()).as("it is not passed over").isZero();
    assertThat(errors.getCount()).isEqualTo(1);
  }

  @Test
  void an_interrupt_of_a_handler_stays_one() {
    BadRecords records =
        records(
            BadRecordPolicy.HANDLER,
            10,
            bad -> {
              throw new InterruptedException("cancelled");
            });

    assertThatThrownBy(() -> fail(records, 1)).isInstanceOf(InterruptedException.class);
  }

  @Test
  void a_handler_that_was_not_opened_is_neither_flushed_nor_closed() {
    BadRecords records =
        records(
            BadRecordPolicy.HANDLER,
            10,
            new BadRecordHandler() {
              private static final long serialVersionUID = 1L;

              @Override
              public void handle(BadRecord record) {}

              @Override
              public void flush() {
                throw new AssertionError("flushed");
              }

              @Override
              public void close() {
                throw new AssertionError("closed");
              }
            });

    assertThatCode(records::flush).doesNotThrowAnyException();
    assertThatCode(records::close).doesNotThrowAnyException();
  }

  private BadRecords records(BadRecordPolicy policy, int limit, BadRecordHandler handler) {
    return new BadRecords(
        policy, Optional.ofNullable(handler), limit, WINDOW, errors, skipped, () -> nanos);
  }

  private static void fail(BadRecords records, int times) throws Exception {
    for (int i = 0; i < times; i++) {
      records.on(new ConsumerRecord<>("t", 3, 7, null, new byte[2]), new IOException("not JSON"));
    }
  }
}
