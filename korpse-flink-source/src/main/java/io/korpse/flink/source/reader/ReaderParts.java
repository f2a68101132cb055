package io.korpse.flink.source.reader;

import io.korpse.flink.source.deserializer.KafkaRecordDeserializationSchema;
import io.korpse.flink.source.reader.proxy.ProxyControl;
import java.time.Duration;

/** What a reader works with, beside Flink's own. */
record ReaderParts<T>(
    SplitStates states,
    ProxyControl control,
    OffsetSidecar sidecar,
    BadRecords badRecords,
    KafkaRecordDeserializationSchema<T> schema,
    Duration closeTimeout) {}
