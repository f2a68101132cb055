package io.korpse.flink.source;

import java.io.Serializable;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Says what a record counts in the buffers. The default counts key, value, headers and 180 bytes
 * for the objects around them, which is the heap that it takes.
 *
 * <p>Called on the fetcher thread, once for each record; where a subtask reads with several
 * consumers, each has a copy of its own. What it throws fails the job.
 */
@FunctionalInterface
public interface RecordSize extends Serializable {

  /**
   * The size of a record in bytes, above 0. The memory bound holds as far as this is true.
   *
   * @param record with key, value and headers
   */
  int bytesOf(ConsumerRecord<byte[], byte[]> record);
}
