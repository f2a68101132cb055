package io.korpse.flink.source.deserializer;

import java.io.Serializable;
import org.apache.flink.api.common.serialization.DeserializationSchema;

/**
 * Takes the records that the schema could not read, to keep them elsewhere. A batch that is damaged
 * on the broker comes as one record with its first offset, and without key and value.
 *
 * <p>Opened, used and closed on the task thread. An exception fails the task, so that no bad record
 * is lost; after a restore a record may be handed over again.
 */
public interface BadRecordHandler extends Serializable {

  /** Called once before the first bad record, with a metric group and the user's class loader. */
  default void open(DeserializationSchema.InitializationContext context) throws Exception {}

  /** Takes a record; what it holds must not be changed. */
  void handle(BadRecord record) throws Exception;

  /**
   * Called when a checkpoint is taken, before its positions are, and before positions are committed
   * without a checkpoint: what was handed over must be safe when this returns.
   */
  default void flush() throws Exception {}

  /** Called once at the end, also after a failure. */
  default void close() throws Exception {}
}
