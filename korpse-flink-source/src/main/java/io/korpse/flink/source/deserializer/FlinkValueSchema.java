package io.korpse.flink.source.deserializer;

import java.io.IOException;
import java.util.Objects;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Reads the value only, with a Flink schema. A schema that is {@code AutoCloseable} is closed. */
final class FlinkValueSchema<T> implements KafkaRecordDeserializationSchema<T> {

  private static final long serialVersionUID = 1L;

  private final DeserializationSchema<T> schema;

  FlinkValueSchema(DeserializationSchema<T> schema) {
    this.schema = Objects.requireNonNull(schema, "A deserialization schema is needed");
  }

  @Override
  public void open(DeserializationSchema.InitializationContext context) throws Exception {
    schema.open(context);
  }

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<T> out)
      throws IOException {
    schema.deserialize(record.value(), out);
  }

  @Override
  public void close() throws Exception {
    if (schema instanceof AutoCloseable closeable) {
      closeable.close();
    }
  }

  @Override
  public boolean readsKey() {
    return false;
  }

  @Override
  public boolean readsHeaders() {
    return false;
  }

  @Override
  public boolean readsTombstones() {
    return false;
  }

  @Override
  public boolean allowsFetcherThread() {
    return true;
  }

  @Override
  public TypeInformation<T> getProducedType() {
    return schema.getProducedType();
  }
}
