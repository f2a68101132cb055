package io.korpse.flink.source.reader.proxy;

import java.time.Duration;
import java.util.Formatter;

/**
 * The bounds of one proxy. Bytes are bytes of heap: key, value, headers and {@link
 * RecordWeigher#OVERHEAD} for each record.
 *
 * @param splitHighBytes a split at or above this is paused
 * @param splitLowBytes a paused split at or below this is fetched again
 * @param splitHighRecords likewise, in records
 * @param splitLowRecords likewise, in records
 * @param readerBytes what all splits of the reader may hold, handed over included
 * @param pollBytes what one poll may add; one record is always let through
 * @param batchRecords most records of one handed-over batch
 * @param batchBytes most bytes of one handed-over batch; one record is always let through
 * @param batches most batches that may be handed over and not yet taken back
 * @param retainedResponses most fetch responses that paused splits may pin inside the client
 * @param maxWait longest time inside one poll
 */
public record ProxyLimits(
    long splitHighBytes,
    long splitLowBytes,
    int splitHighRecords,
    int splitLowRecords,
    long readerBytes,
    long pollBytes,
    int batchRecords,
    long batchBytes,
    int batches,
    int retainedResponses,
    Duration maxWait) {

  /** Refuses bounds that would never let a record through, or never pause. */
  public ProxyLimits {
    require(
        0 <= splitLowBytes && splitLowBytes < splitHighBytes,
        "the low watermark of a split (%d bytes) must be below its high watermark (%d bytes)",
        splitLowBytes,
        splitHighBytes);
    require(
        0 <= splitLowRecords && splitLowRecords < splitHighRecords,
        "the low watermark of a split (%d records) must be below its high watermark (%d records)",
        splitLowRecords,
        splitHighRecords);
    require(
        splitHighBytes <= readerBytes,
        "the high watermark of a split (%d bytes) must not be above the reader's budget (%d bytes)",
        splitHighBytes,
        readerBytes);
    require(
        pollBytes > 0 && batchRecords > 0 && batchBytes > 0 && batches > 0 && retainedResponses > 0,
        "the limits of a poll (%d bytes), of a batch (%d records, %d bytes), of batches handed over"
            + " (%d) and of retained responses (%d) must be positive",
        pollBytes,
        batchRecords,
        batchBytes,
        batches,
        retainedResponses);
    require(
        !maxWait.isNegative() && !maxWait.isZero(),
        "the longest wait of a poll must be positive, not %s",
        maxWait);
  }

  @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency of its own
  private static void require(boolean condition, String message, Object... values) {
    if (!condition) {
      throw new IllegalArgumentException(new Formatter().format(message, values).toString());
    }
  }

  /** What a split is guaranteed when {@code splits} share the reader's budget; never 0. */
  long floorBytes(int splits) {
    return Math.max(1, Math.min(splitHighBytes, readerBytes / (2L * Math.max(1, splits))));
  }
}
