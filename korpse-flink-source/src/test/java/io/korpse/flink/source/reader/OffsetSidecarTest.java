package io.korpse.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korpse.flink.source.CommitMode;
import io.korpse.flink.source.KorpseSourceOptions;
import io.korpse.flink.source.SourceSettings;
import io.korpse.flink.source.split.KorpseSplit;
import io.korpse.offsets.Position;
import io.korpse.offsets.SharedAdmin;
import io.korpse.offsets.lag.PartitionLag;
import io.korpse.offsets.metrics.OffsetMetrics;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

/** What a sidecar tells the lag, and what it commits when it closes; no broker answers here. */
final class OffsetSidecarTest {

  private static final Duration CLOSE = Duration.ofMillis(200);

  // The clock stands still, so that only a close makes a failed commit due again.
  private final Clock clock = Clock.fixed(Instant.EPOCH, ZoneOffset.UTC);
  private final SplitStates states = new SplitStates(clock);
  private final AtomicInteger commits = new AtomicInteger();

  /** Another attempt may have read everything and committed more, as in speculative execution. */
  @Test
  void a_bounded_reader_that_did_not_reach_its_end_commits_nothing_when_it_is_closed() {
    OffsetSidecar sidecar = failing(Boundedness.BOUNDED);

    sidecar.close(CLOSE);

    assertThat(commits).hasValue(1);
  }

  @Test
  void a_bounded_reader_that_reached_its_end_commits_when_it_is_closed() {
    OffsetSidecar sidecar = failing(Boundedness.BOUNDED);
    sidecar.endOfInput();

    sidecar.close(CLOSE);

    assertThat(commits).hasValueGreaterThan(1);
  }

  @Test
  void an_unbounded_reader_commits_when_it_is_closed() {
    OffsetSidecar sidecar = failing(Boundedness.CONTINUOUS_UNBOUNDED);

    sidecar.close(CLOSE);

    assertThat(commits).hasValueGreaterThan(1);
  }

  @Test
  void the_lag_of_a_split_counts_no_records_beyond_its_stop_as_lost() {
    OffsetSidecar sidecar = failing(Boundedness.BOUNDED);
    try {
      PartitionLag lag = sidecar.lags().partitions().iterator().next();
      lag.observeLogStart(150);

      assertThat(lag.recordsLost()).isEqualTo(100 - 49);
    } finally {
      sidecar.close(CLOSE);
    }
  }

  /** A sidecar whose first commit has failed. */
  private OffsetSidecar failing(Boundedness boundedness) {
    Properties kafka = new Properties();
    kafka.setProperty("bootstrap.servers", "broker:9092");
    kafka.setProperty("group.id", "g");
    Configuration options = new Configuration();
    options.set(KorpseSourceOptions.COMMIT_MODE, CommitMode.PERIODIC);
    options.set(KorpseSourceOptions.COMMIT_INTERVAL, Duration.ofMillis(10));
    OffsetSidecar sidecar =
        new OffsetSidecar(
            new SourceSettings(kafka, options, boundedness, null, null, null),
            new SharedAdmin(this::noAdmin),
            states,
            () -> {},
            new OffsetMetrics(
                UnregisteredMetricsGroup.createSourceReaderMetricGroup(), group -> {}),
            "job/1",
            "client",
            clock);
    KorpseSplitState state =
        new KorpseSplitState(
            new KorpseSplit(
                new TopicPartition("t", 0), Position.of(49), 100, Uuid.ZERO_UUID, false));
    states.put("t-0", state);
    sidecar.splitAdded(state);
    await().atMost(Duration.ofSeconds(10)).until(() -> commits.get() == 1);
    return sidecar;
  }

  private Admin noAdmin() {
    if (Thread.currentThread().getName().startsWith("korpse-committer")) {
      commits.incrementAndGet();
    }
    throw new KafkaException("no broker");
  }
}
