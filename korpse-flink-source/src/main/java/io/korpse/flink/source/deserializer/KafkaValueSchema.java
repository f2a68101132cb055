package io.korpse.flink.source.deserializer;

import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.typeutils.TypeExtractor;
import org.apache.flink.util.Collector;
import org.apache.flink.util.InstantiationUtil;
import org.apache.flink.util.TemporaryClassLoaderContext;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * Reads the value only, with a Kafka deserializer, which also sees the headers: some formats keep
 * the id of their schema there.
 */
final class KafkaValueSchema<T> implements KafkaRecordDeserializationSchema<T> {

  private static final long serialVersionUID = 1L;

  private final Class<? extends Deserializer<T>> deserializerClass;
  private final Map<String, String> config;
  private transient Deserializer<T> deserializer;

  KafkaValueSchema(Class<? extends Deserializer<T>> deserializerClass, Map<String, String> config) {
    this.deserializerClass = Objects.requireNonNull(deserializerClass, "A deserializer is needed");
    this.config = Map.copyOf(config);
  }

  @Override
  @SuppressWarnings("try") // the context is closed, not used
  public void open(DeserializationSchema.InitializationContext context) {
    ClassLoader userCode = context.getUserCodeClassLoader().asClassLoader();
    // Kafka finds classes named in the configuration through the thread's class loader.
    try (TemporaryClassLoaderContext ignored = TemporaryClassLoaderContext.of(userCode)) {
      deserializer = InstantiationUtil.instantiate(deserializerClass);
      if (deserializer instanceof Configurable configurable) {
        configurable.configure(config);
      } else {
        deserializer.configure(config, false);
      }
    }
  }

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<T> out)
      throws IOException {
    if (deserializer == null) {
      throw new IllegalStateException("The schema was not opened before its first record");
    }
    T value = deserializer.deserialize(record.topic(), record.headers(), record.value());
    if (value != null) {
      out.collect(value);
    }
  }

  @Override
  public void close() {
    if (deserializer != null) {
      deserializer.close();
      deserializer = null;
    }
  }

  @Override
  public boolean readsKey() {
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
    return TypeExtractor.createTypeInfo(Deserializer.class, deserializerClass, 0, null, null);
  }
}
