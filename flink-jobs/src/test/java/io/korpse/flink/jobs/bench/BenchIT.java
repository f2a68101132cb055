package io.korpse.flink.jobs.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The whole tool, broker and children included, with hardly any records. */
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BenchIT {

  @TempDir private Path directory;

  private JsonNode bench(String... args) throws Exception {
    Path json = directory.resolve("result.json");
    String[] all = new String[args.length + 2];
    System.arraycopy(args, 0, all, 0, args.length);
    all[args.length] = "--json";
    all[args.length + 1] = json.toString();
    ByteArrayOutputStream progress = new ByteArrayOutputStream();
    int exit =
        new Bench(
                Path.of("target"),
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                new PrintStream(progress, true, StandardCharsets.UTF_8))
            .execute(all);
    assertThat(exit).as(progress.toString(StandardCharsets.UTF_8)).isZero();
    return Json.parse(Files.readString(json), JsonNode.class);
  }

  @Test
  void throughput_compares_with_a_bare_consumer() throws Exception {
    JsonNode json =
        bench(
            "throughput",
            "--source",
            "kafkasource,raw",
            "--records",
            "20000",
            "--runs",
            "1",
            "--warmups",
            "0",
            "--heap",
            "512m");

    for (String source : new String[] {"kafkasource", "raw"}) {
      for (String figure :
          new String[] {"recordsPerSecond", "cpuNanosPerRecord", "allocatedBytesPerRecord"}) {
        assertThat(json.at("/summary/" + source + "/" + figure + "/median").asDouble())
            .as(source + " " + figure)
            .isPositive();
      }
    }
    assertThat(json.at("/summary/kafkasource/allocatedOverRaw").isMissingNode()).isFalse();
  }

  @Test
  void order_sees_how_far_the_peer_is_out_of_order() throws Exception {
    JsonNode json =
        bench(
            "order",
            "--source",
            "kafkasource",
            "--records",
            "15937",
            "--runs",
            "1",
            "--warmups",
            "0",
            "--heap",
            "512m");

    assertThat(json.at("/summary/kafkasource/maxDisorderSeconds/median").asDouble())
        .isBetween(60.0, 3_600.0);
  }

  @Test
  void nothing_grows_under_load() throws Exception {
    JsonNode json =
        bench("load", "--source", "korpse", "--partitions", "200", "--records", "5000000");

    JsonNode figures = json.at("/summary/korpse");
    assertThat(figures.at("/eventSeconds/median").asDouble()).isGreaterThan(3_599);
    assertThat(figures.at("/liveHeapGrowth/median").asDouble())
        .as("of the heap without what the buffers hold: " + figures)
        .isBetween(0.1, 1.1);
    assertThat(figures.at("/heldPeakBytes/median").asDouble())
        .as("the gauge is found, and what it says is taken off")
        .isPositive();
    assertThat(figures.at("/threads/median").asInt()).isPositive();
    assertThat(figures.at("/clients/median").asInt()).isPositive();
    for (String more : new String[] {"threadsMore", "clientsMore"}) {
      // One that was about to end at the first look is no growth.
      assertThat(figures.at("/" + more + "/median").asInt(1)).as(more).isLessThanOrEqualTo(0);
    }
    for (String zero :
        new String[] {"threadsLeft", "clientsLeft", "outOfSequence", "lateRecords"}) {
      assertThat(figures.at("/" + zero + "/median").asInt(-1)).as(zero).isZero();
    }
  }
}
