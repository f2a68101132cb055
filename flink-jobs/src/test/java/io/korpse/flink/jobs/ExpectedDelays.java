package io.korpse.flink.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;

/** The job's result, worked out from the data file without Kafka or Flink. */
public final class ExpectedDelays {

  /** The flights that the project ships. */
  public static final Path DATA = Path.of("data", "flights-20k.json.gz");

  private ExpectedDelays() {}

  /** All rows, sorted. */
  public static List<String> rows() {
    Map<String, long[]> sums = new TreeMap<>();
    try (InputStream in = new GZIPInputStream(Files.newInputStream(DATA))) {
      for (JsonNode flight : new ObjectMapper().readTree(in)) {
        String day = flight.path("date").asText().substring(0, 10).replace('/', '-');
        long[] sum =
            sums.computeIfAbsent(day + "," + flight.path("origin").asText(), key -> new long[2]);
        sum[0]++;
        sum[1] += flight.path("delay").asLong();
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    List<String> rows = new ArrayList<>();
    sums.forEach(
        (key, sum) ->
            rows.add(
                String.format(Locale.ROOT, "%s,%d,%.4f", key, sum[0], (double) sum[1] / sum[0])));
    return rows.stream().sorted().toList();
  }
}
