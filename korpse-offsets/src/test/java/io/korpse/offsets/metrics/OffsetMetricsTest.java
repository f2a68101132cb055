package io.korpse.offsets.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.korpse.offsets.Position;
import io.korpse.offsets.commit.OffsetCommitter;
import io.korpse.offsets.lag.LagTracker;
import io.korpse.offsets.lag.PartitionLag;
import io.korpse.testing.ManualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class OffsetMetricsTest {

  private static final TopicPartition P3 = new TopicPartition("a.b", 3);
  private static final String READER = "KafkaSourceReader.";
  private static final String TOPIC = "KafkaSourceReader.topic.a.b.";
  private static final String PARTITION = TOPIC + "partition.3.";

  private final ManualClock clock = new ManualClock(1_000_000);
  private final RecordingGroup group = new RecordingGroup();
  private final LagTracker tracker = tracker(IsolationLevel.READ_UNCOMMITTED);
  private final OffsetMetrics metrics =
      new OffsetMetrics(group, values -> ((RecordingGroup) values).close());

  private LagTracker tracker(IsolationLevel isolation) {
    return LagTracker.builder()
        .clock(clock)
        .wallClock(clock)
        .isolation(isolation)
        .admin(
            () -> {
              throw new KafkaException("no broker in this test");
            })
        .build();
  }

  @AfterEach
  void close() {
    tracker.close();
  }

  @Test
  void shows_a_partition_under_the_names_that_users_know() {
    AtomicLong position = new AtomicLong(40);
    PartitionLag lag = tracker.track(P3, position::get);
    metrics.bind(lag);
    lag.observeEnd(100, clock.millis());
    lag.observeCommitted(Position.of(30));
    lag.observeTimestamp(clock.millis() - 250);
    lag.observeSkipped(5);

    assertThat(group.value(PARTITION + "currentOffset")).isEqualTo(39L);
    assertThat(group.value(PARTITION + "committedOffset")).isEqualTo(30L);
    assertThat(group.value(PARTITION + "recordsLag")).isEqualTo(60L);
    assertThat(group.value(PARTITION + "recordsLagToHighWatermark")).isEqualTo(60L);
    assertThat(group.value(PARTITION + "highWatermark")).isEqualTo(100L);
    assertThat(group.value(PARTITION + "timeLag")).isEqualTo(250L);
    assertThat(group.value(PARTITION + "lagAge")).isEqualTo(0L);
    assertThat(group.value(PARTITION + "committedLag")).isEqualTo(70L);
    assertThat(group.value(PARTITION + "recordsLost")).isEqualTo(5L);
    assertThat(group.value(PARTITION + "lagStatus")).isNotNull();
  }

  @Test
  void unknown_is_minus_one() {
    metrics.bind(tracker.track(P3, () -> -1));

    for (String name :
        new String[] {
          "currentOffset",
          "committedOffset",
          "recordsLag",
          "highWatermark",
          "timeLag",
          "lagAge",
          "committedLag"
        }) {
      assertThat(group.value(PARTITION + name)).as(name).isEqualTo(-1L);
    }
    assertThat(group.value(PARTITION + "recordsLost")).isEqualTo(0L);
  }

  @Test
  void removes_a_partition_that_left_and_takes_it_again() {
    metrics.bind(tracker.track(P3, () -> 1));
    metrics.unbind(P3);
    assertThat(group.metrics).isEmpty();
    assertThat(metrics.partitionGroup(P3)).isNull();

    metrics.bind(tracker.track(P3, () -> 8));
    assertThat(group.value(PARTITION + "currentOffset")).isEqualTo(7L);
    metrics.close();
    assertThat(group.metrics).isEmpty();
  }

  @Test
  void shows_the_lag_of_a_topic_while_it_has_partitions() {
    TopicPartition p4 = new TopicPartition("a.b", 4);
    metrics.bindLag(tracker);
    PartitionLag lag3 = tracker.track(P3, () -> 1);
    PartitionLag lag4 = tracker.track(p4, () -> 2);
    metrics.bind(lag3);
    metrics.bind(lag4);
    lag3.observeEnd(10, clock.millis());
    assertThat(group.value("KafkaSourceReader.topic.a.b.recordsLag")).isEqualTo(-1L);
    lag4.observeEnd(10, clock.millis());
    assertThat(group.value("KafkaSourceReader.topic.a.b.recordsLag")).isEqualTo(17L);

    metrics.unbind(P3);
    assertThat(group.metrics).containsKey("KafkaSourceReader.topic.a.b.recordsLag");
    metrics.unbind(p4);
    assertThat(group.metrics).doesNotContainKey("KafkaSourceReader.topic.a.b.recordsLag");
  }

  @ParameterizedTest
  @EnumSource(IsolationLevel.class)
  void shows_the_sums_of_each_topic_and_of_the_reader(IsolationLevel isolation) {
    try (LagTracker lags = tracker(isolation)) {
      metrics.bindLag(lags);
      PartitionLag first = lags.track(P3, () -> 40);
      PartitionLag second = lags.track(new TopicPartition("a.b", 4), () -> 90);
      PartitionLag other = lags.track(new TopicPartition("c", 0), () -> 10);
      for (PartitionLag lag : List.of(first, second, other)) {
        metrics.bind(lag);
      }
      List<String> known = new ArrayList<>(List.of("recordsLag", "timeLag", "committedLag"));
      if (isolation == IsolationLevel.READ_COMMITTED) {
        known.add("recordsLagToHighWatermark");
      }
      for (String values : List.of(READER, TOPIC)) {
        for (String name : known) {
          assertThat(group.value(values + name)).as(values + name).isEqualTo(-1L);
        }
        assertThat(group.metrics.containsKey(values + "recordsLagToHighWatermark"))
            .isEqualTo(isolation == IsolationLevel.READ_COMMITTED);
        assertThat(group.value(values + "lagStatus")).isEqualTo(0);
      }
      assertThat(group.value(TOPIC + "lagUnknownPartitions")).isEqualTo(2);
      assertThat(group.value(TOPIC + "timeLagUnknownPartitions")).isEqualTo(2);
      assertThat(group.value(TOPIC + "committedLagUnknownPartitions")).isEqualTo(2);
      assertThat(group.value(READER + "lagUnknownPartitions")).isEqualTo(3);
      assertThat(group.value(READER + "timeLagUnknownPartitions")).isEqualTo(3);
      assertThat(group.value(READER + "committedLagUnknownPartitions")).isEqualTo(3);

      int age = 1_000;
      for (PartitionLag lag : List.of(first, second, other)) {
        lag.observeEnd(100, clock.millis());
        lag.observeCommitted(Position.of(5));
        lag.observeTimestamp(clock.millis() - age);
        lag.observeSkipped(3);
        age *= 2;
      }
      assertThat(group.value(TOPIC + "recordsLag")).isEqualTo(70L);
      assertThat(group.value(TOPIC + "timeLag")).isEqualTo(2_000L);
      assertThat(group.value(TOPIC + "committedLag")).isEqualTo(190L);
      assertThat(group.value(TOPIC + "recordsLost")).isEqualTo(6L);
      assertThat(group.value(TOPIC + "lagUnknownPartitions")).isEqualTo(0);
      assertThat(group.value(READER + "recordsLag")).isEqualTo(160L);
      assertThat(group.value(READER + "timeLag")).isEqualTo(4_000L);
      assertThat(group.value(READER + "committedLag")).isEqualTo(285L);
      assertThat(group.value(READER + "recordsLost")).isEqualTo(9L);
      assertThat(group.value(READER + "lagUnknownPartitions")).isEqualTo(0);
    }
  }

  @Test
  void shows_commits_and_the_reader() {
    try (OffsetCommitter committer =
        OffsetCommitter.builder()
            .groupId("g")
            .admin(
                () -> {
                  throw new KafkaException("no broker in this test");
                })
            .build()) {
      metrics.bindCommits(committer.status());
      metrics.bindLag(tracker);

      assertThat(group.value("KafkaSourceReader.commitsSucceeded")).isEqualTo(0L);
      assertThat(group.value("KafkaSourceReader.commitsFailed")).isEqualTo(0L);
      assertThat(group.value("KafkaSourceReader.commitLatency")).isEqualTo(-1L);
      assertThat(group.value("KafkaSourceReader.commitState")).isEqualTo(0);
      assertThat(group.value("KafkaSourceReader.commitPendingAge")).isEqualTo(0L);
      assertThat(group.value("KafkaSourceReader.uncommittedAge")).isEqualTo(-1L);
      assertThat(group.value("KafkaSourceReader.lagUnknownPartitions")).isEqualTo(0);
      assertThat(group.value("KafkaSourceReader.lagStatus")).isEqualTo(0);
    }
  }
}
