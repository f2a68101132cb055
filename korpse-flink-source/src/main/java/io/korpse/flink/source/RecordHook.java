package io.korpse.flink.source;

import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Looks at each record between broker and buffer: lets it through, puts another in its place, or
 * drops it before it takes up memory. What was dropped counts as read, and positions move past it.
 *
 * <p>Called on the fetcher thread of its subtask only; where that reads with several consumers,
 * each has a copy of its own. What it throws fails the job, with topic, partition and offset.
 */
@FunctionalInterface
public interface RecordHook extends Serializable {

  /**
   * What to buffer of a record.
   *
   * @param record with key, value and headers; not to be kept
   * @param drops to say why, as in {@code return drops.because("too old")}
   * @return the record, or one of the same topic, partition and offset. Its timestamp decides about
   *     the order, and its size about memory: a poll may add more than its limit by what a hook
   *     adds
   * @throws Exception if the job is to fail
   */
  @Nullable
  ConsumerRecord<byte[], byte[]> map(ConsumerRecord<byte[], byte[]> record, Drops drops)
      throws Exception;

  /** Counts what is dropped, by reason. */
  @FunctionalInterface
  interface Drops {

    /**
     * Drops the record.
     *
     * @param reason becomes the name of a metric: one of a few constants
     * @return null, for the hook to return
     */
    @Nullable
    ConsumerRecord<byte[], byte[]> because(String reason);
  }
}
