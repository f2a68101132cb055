package io.korpse.flink.source.reader;

import io.korpse.flink.source.deserializer.KafkaRecordDeserializationSchema;
import io.korpse.flink.source.reader.proxy.ProxyControl;
import java.time.Duration;
import java.util.Optional;

/** What a reader works with, beside Flink's own. */
record ReaderParts<T>(
    SplitStates states,
    ProxyControl control,
    OffsetSidecar sidecar,
    UnreachableStops stops,
    AlignmentWatch alignment,
    BadRecords badRecords,
    KafkaRecordDeserializationSchema<T> schema,
    Optional<RateLimit> rateLimit,
    Duration closeTimeout) {}
