package io.korpse.flink.source.reader;

import io.korpse.flink.source.deserializer.KafkaRecordDeserializationSchema;
import io.korpse.flink.source.reader.proxy.SplitWishes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What a reader works with, beside Flink's own. */
record ReaderParts<T>(
    SplitStates states,
    SplitWishes control,
    OffsetSidecar sidecar,
    UnreachableStops stops,
    AlignmentWatch alignment,
    UnreadableBatches unreadable,
    BadRecords badRecords,
    List<KafkaRecordDeserializationSchema<T>> schemas,
    Optional<RateLimit> rateLimit,
    Duration closeTimeout) {}
