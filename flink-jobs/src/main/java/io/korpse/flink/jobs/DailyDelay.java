package io.korpse.flink.jobs;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Locale;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/**
 * The job's result: one airport on one day.
 *
 * @param dayMillis start of the day, UTC
 * @param origin airport code
 * @param flights number of flights, at least 1
 * @param minutes sum of their delays
 */
public record DailyDelay(long dayMillis, String origin, long flights, long minutes) {

  /** The line {@code day,origin,flights,meanDelay}, without its end. */
  String toCsv() {
    return Instant.ofEpochMilli(dayMillis).atOffset(ZoneOffset.UTC).toLocalDate()
        + ","
        + quoted(origin)
        + ","
        + flights
        + ","
        + String.format(Locale.ROOT, "%.4f", (double) minutes / flights);
  }

  private static String quoted(String field) {
    return field.matches("[^\",\r\n]*") ? field : '"' + field.replace("\"", "\"\"") + '"';
  }

  /** Puts the window's day and key to the sum. */
  static final class OfWindow
      extends ProcessWindowFunction<DelaySum, DailyDelay, String, TimeWindow> {

    private static final long serialVersionUID = 1L;

    @Override
    public void process(
        String origin, Context context, Iterable<DelaySum> sums, Collector<DailyDelay> out) {
      for (DelaySum sum : sums) {
        out.collect(
            new DailyDelay(context.window().getStart(), origin, sum.flights(), sum.minutes()));
      }
    }
  }
}
