package io.korpse.flink.jobs;

import io.korpse.flink.source.deserializer.KafkaRecordDeserializationSchema;
import java.io.IOException;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * A Kafka record on its way from topic to topic, byte for byte.
 *
 * @param partition number of the partition that it came from
 * @param timestamp milliseconds since 1970
 * @param key may be null
 * @param value null is a tombstone
 * @param headerKeys names of the headers, in their order
 * @param headerValues values of the headers; each may be null
 */
@SuppressWarnings("ArrayRecordComponent") // bytes are passed on and never compared
public record CopiedRecord(
    int partition,
    long timestamp,
    byte[] key,
    byte[] value,
    String[] headerKeys,
    byte[][] headerValues) {

  /** The record to write; to the same partition number when asked. */
  ProducerRecord<byte[], byte[]> to(String topic, boolean samePartition) {
    RecordHeaders headers = new RecordHeaders();
    for (int i = 0; i < headerKeys.length; i++) {
      headers.add(headerKeys[i], headerValues[i]);
    }
    return new ProducerRecord<>(
        topic, samePartition ? partition : null, timestamp, key, value, headers);
  }

  /** Takes a record as it is; also a tombstone. */
  static final class Schema implements KafkaRecordDeserializationSchema<CopiedRecord> {

    private static final long serialVersionUID = 1L;

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<CopiedRecord> out)
        throws IOException {
      Header[] headers = record.headers().toArray();
      String[] keys = new String[headers.length];
      byte[][] values = new byte[headers.length][];
      for (int i = 0; i < headers.length; i++) {
        keys[i] = headers[i].key();
        values[i] = headers[i].value();
      }
      out.collect(
          new CopiedRecord(
              record.partition(), record.timestamp(), record.key(), record.value(), keys, values));
    }

    @Override
    public TypeInformation<CopiedRecord> getProducedType() {
      return TypeInformation.of(CopiedRecord.class);
    }
  }
}
