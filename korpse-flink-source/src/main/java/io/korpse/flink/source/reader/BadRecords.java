package io.korpse.flink.source.reader;

import io.korpse.flink.source.BadRecordPolicy;
import io.korpse.flink.source.deserializer.BadRecord;
import io.korpse.flink.source.deserializer.BadRecordHandler;
import io.korpse.flink.source.reader.proxy.UnreadableRecord;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.metrics.Counter;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of records that the schema or the consumer cannot read. Task thread.
 *
 * <p>Skipping has a limit for each stretch of time, so that a topic in a wrong format stops the job
 * instead of being counted away.
 */
final class BadRecords {

  private static final Logger LOG = LoggerFactory.getLogger(BadRecords.class);

  private final BadRecordPolicy policy;
  private final Optional<BadRecordHandler> handler;
  private final int limit;
  private final Duration window;
  private final Counter errors;
  private final Counter skipped;
  private final LongSupplier nanos;
  private final ArrayDeque<Long> recent = new ArrayDeque<>();
  private boolean opened;

  BadRecords(
      BadRecordPolicy policy,
      Optional<BadRecordHandler> handler,
      int limit,
      Duration window,
      Counter errors,
      Counter skipped,
      LongSupplier nanos) {
    this.policy = policy;
    this.handler = handler;
    this.limit = limit;
    this.window = window;
    this.errors = errors;
    this.skipped = skipped;
    this.nanos = nanos;
  }

  void open(DeserializationSchema.InitializationContext context) throws Exception {
    if (handler.isPresent()) {
      // One that fails half way is closed too.
      opened = true;
      handler.get().open(context);
    }
  }

  /**
   * Applies the policy.
   *
   * @throws IOException when the policy is to fail, or the limit is passed
   */
  void on(ConsumerRecord<byte[], byte[]> record, Exception cause) throws Exception {
    BadRecord bad = new BadRecord(record, cause);
    if (policy == BadRecordPolicy.FAIL) {
      throw failure(bad, "Repair the schema");
    }
    passOver(bad, 1);
    LOG.debug("Passed over the {}", bad.describe(), cause);
  }

  /**
   * Applies the policy to offsets that the consumer cannot read. All of them count as skipped, and
   * once for the limit.
   *
   * @throws IOException when the policy is to fail, or the limit is passed
   */
  void onUnreadable(UnreadableRecord record) throws Exception {
    BadRecord bad = new BadRecord(record, record.cause());
    if (policy == BadRecordPolicy.FAIL) {
      throw failure(bad, "The log is damaged there: restore it from a replica");
    }
    passOver(bad, record.nextOffset() - record.offset());
    LOG.warn("Passed over the {}, up to offset {}", bad, record.nextOffset());
  }

  private IOException failure(BadRecord bad, String remedy) {
    errors.inc();
    return new IOException(
        "Cannot read the "
            + bad
            + ". "
            + remedy
            + ", or choose with onBadRecord to skip such records or to hand them to a handler",
        bad.cause());
  }

  private void passOver(BadRecord bad, long records) throws Exception {
    errors.inc();
    if (policy == BadRecordPolicy.HANDLER) {
      hand(bad);
    }
    countSkipped(bad, records);
  }

  private void hand(BadRecord bad) throws Exception {
    try {
      handler.orElseThrow().handle(bad);
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      // A handler that works beside this thread may fail later, at a record that is not to blame.
      throw new IOException(
          "The handler of bad records failed at the "
              + bad
              + ": "
              + e
              + ". That cause may be about an earlier record, where the handler does not wait for"
              + " each. Repair what the handler writes to, or the handler; meanwhile onBadRecord can"
              + " be to skip such records",
          e);
    }
  }

  private void countSkipped(BadRecord bad, long records) throws IOException {
    skipped.inc(records);
    long now = nanos.getAsLong();
    recent.addLast(now);
    while (now - recent.peekFirst() > window.toNanos()) {
      recent.removeFirst();
    }
    if (recent.size() > limit) {
      throw new IOException(
          "More than "
              + limit
              + " bad records within "
              + window
              + "; the last is the "
              + bad
              + ". Raise the limit if that is expected",
          bad.cause());
    }
  }

  /** Has what was handed over made safe, before positions behind it are. */
  void flush() {
    if (opened) {
      try {
        handler.get().flush();
      } catch (Exception e) {
        throw new IllegalStateException("The handler of bad records could not flush", e);
      }
    }
  }

  void close() throws Exception {
    if (opened) {
      opened = false;
      handler.get().close();
    }
  }
}
