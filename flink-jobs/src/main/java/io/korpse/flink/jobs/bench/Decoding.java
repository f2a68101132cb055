package io.korpse.flink.jobs.bench;

import java.io.IOException;
import java.io.Serializable;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.util.function.SerializableFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/** How a record becomes what the job sees: the same for every source. */
sealed interface Decoding<T> extends Serializable {

  T decode(ConsumerRecord<byte[], byte[]> record) throws IOException;

  TypeInformation<T> type();

  /** By the value alone. */
  record Value<T>(DeserializationSchema<T> schema) implements Decoding<T> {
    @Override
    public T decode(ConsumerRecord<byte[], byte[]> record) throws IOException {
      return schema.deserialize(record.value());
    }

    @Override
    public TypeInformation<T> type() {
      return schema.getProducedType();
    }
  }

  /** By the whole record. */
  record Whole<T>(
      SerializableFunction<ConsumerRecord<byte[], byte[]>, T> function, TypeInformation<T> type)
      implements Decoding<T> {
    @Override
    public T decode(ConsumerRecord<byte[], byte[]> record) {
      return function.apply(record);
    }
  }

  static Decoding<byte[]> bytes() {
    return new Value<>(new Bytes());
  }

  /** The value of a record whose headers are looked at, too, so that a source must keep them. */
  static Decoding<byte[]> bytesWithHeaders() {
    return new Whole<>(
        record -> {
          for (Header header : record.headers()) {
            if (header.value() == null) {
              throw new IllegalStateException("Header " + header.key() + " has no value");
            }
          }
          return record.value();
        },
        PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);
  }

  static Decoding<String> strings() {
    return new Value<>(new SimpleStringSchema());
  }

  /** Partition and offset in one number; see {@link Coordinates}. */
  static Decoding<Long> coordinates() {
    return new Whole<>(record -> Coordinates.of(record.partition(), record.offset()), Types.LONG);
  }

  /** The value as it is. */
  final class Bytes extends AbstractDeserializationSchema<byte[]> {
    @Override
    public byte[] deserialize(byte[] message) {
      return message;
    }
  }
}
