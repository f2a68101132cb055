package io.korpse.flink.jobs.bench;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;

/** Event time that makes watermark alignment hold some partitions. */
final class Watermarks {

  private static final long DAY_MILLIS = 86_400_000;

  private Watermarks() {}

  /**
   * For {@link Coordinates}: the partitions from {@code firstHeld} on are a day ahead of their
   * record timestamps, the drift allowed is two hours; so they are held after their first
   * watermark.
   */
  static WatermarkStrategy<Long> holdingFrom(int firstHeld) {
    return WatermarkStrategy.<Long>forMonotonousTimestamps()
        .withTimestampAssigner(
            (coordinates, timestamp) ->
                Coordinates.partition(coordinates) < firstHeld ? timestamp : timestamp + DAY_MILLIS)
        .withWatermarkAlignment("bench", Duration.ofHours(2), Duration.ofMillis(200));
  }
}
