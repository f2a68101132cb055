package io.korpse.flink.jobs.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The whole tool, broker and children included, with hardly any records. */
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BenchIT {

  private static final Path TARGET = Path.of("target");
  private static final ByteArrayOutputStream PROGRESS = new ByteArrayOutputStream();

  private static Host host;

  @TempDir private Path directory;

  @BeforeAll
  static void startBroker() {
    host = Host.start(TARGET, printer(PROGRESS));
  }

  @AfterAll
  static void stopBroker() {
    host.close();
  }

  private static PrintStream printer(ByteArrayOutputStream out) {
    return new PrintStream(out, true, StandardCharsets.UTF_8);
  }

  private JsonNode bench(String... args) throws Exception {
    return bench(0, args);
  }

  private JsonNode bench(int status, String... args) throws Exception {
    Path json = directory.resolve("result.json");
    String[] all = new String[args.length + 2];
    System.arraycopy(args, 0, all, 0, args.length);
    all[args.length] = "--json";
    all[args.length + 1] = json.toString();
    PROGRESS.reset();
    int exit =
        new Bench(TARGET, printer(new ByteArrayOutputStream()), printer(PROGRESS), host)
            .execute(all);
    assertThat(exit).as(PROGRESS.toString(StandardCharsets.UTF_8)).isEqualTo(status);
    return Json.parse(Files.readString(json), JsonNode.class);
  }

  @Test
  void throughput_compares_with_a_bare_consumer() throws Exception {
    JsonNode json =
        bench(
            "throughput",
            "--source",
            "korpse,kafkasource,raw",
            "--records",
            "20000",
            "--runs",
            "1",
            "--warmups",
            "0",
            "--heap",
            "512m");

    for (String source : new String[] {"korpse", "kafkasource", "raw"}) {
      for (String figure :
          new String[] {"recordsPerSecond", "cpuNanosPerRecord", "allocatedBytesPerRecord"}) {
        assertThat(json.at("/summary/" + source + "/" + figure + "/median").asDouble())
            .as(source + " " + figure)
            .isPositive();
      }
    }
    assertThat(json.at("/summary/kafkasource/allocatedOverRaw").isMissingNode()).isFalse();
    assertThat(json.at("/ratios/recordsPerSecond").asDouble()).isPositive();
  }

  @Test
  void order_is_kept_and_the_peer_is_seen_to_be_far_out_of_it() throws Exception {
    JsonNode json =
        bench(
            "order",
            "--check",
            "--source",
            "korpse,kafkasource",
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
  void memory_is_bounded_with_headers_and_more_data_than_heap() throws Exception {
    JsonNode json =
        bench(
            "memory",
            "--check",
            "--source",
            "korpse",
            "--partitions",
            "16",
            "--records",
            "256",
            "--headers",
            "4",
            "--heap",
            "128m",
            "--rate",
            "20",
            "--seconds",
            "5");

    JsonNode figures = json.at("/summary/korpse");
    assertThat(figures.at("/survived/median").asInt()).isOne();
    assertThat(figures.at("/heldPeakBytes/median").asDouble()).isPositive();
    assertThat(figures.at("/liveHeapBytes/median").asDouble()).isPositive();
  }

  @Test
  void a_missed_target_is_told_by_the_status_when_it_is_to_be_checked() throws Exception {
    JsonNode json =
        bench(
            1,
            "resume",
            "--check",
            "--source",
            "korpse",
            "--partitions",
            "4",
            "--seconds",
            "2",
            "--consumer",
            "fetch.max.wait.ms=101");

    JsonNode figures = json.at("/summary/korpse");
    assertThat(figures.at("/fetchMaxWaitMillis/median").asInt()).isEqualTo(101);
    assertThat(figures.at("/resumes/median").asInt()).isPositive();
  }

  @Test
  void partitions_beside_held_ones_are_read_to_their_ends() throws Exception {
    JsonNode json =
        bench(
            "isolation",
            "--source",
            "korpse",
            "--partitions",
            "4",
            "--records",
            "200000",
            "--runs",
            "1",
            "--warmups",
            "0",
            "--heap",
            "512m");

    assertThat(json.at("/summary/korpse/unaffectedShare/median").asDouble()).isPositive();
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
